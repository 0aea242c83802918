import { describe, expect, it } from 'vitest'
import { declaredEntities, headOf, tableDocument } from './entities.ts'

const entities = await declaredEntities()

/** Whether some text could begin with both. */
const overlap = (a: string, b: string) => a.startsWith(b) || b.startsWith(a)

describe('the rows of the table', () => {
  it('have keys of their own: no row can be taken for one of another kind', () => {
    const clashes = entities.flatMap((one, i) =>
      entities
        .slice(i + 1)
        .filter(
          (other) =>
            overlap(headOf(one.pk), headOf(other.pk)) && overlap(headOf(one.sk), headOf(other.sk)),
        )
        .map((other) => `${one.name} and ${other.name}`),
    )
    expect(clashes).toEqual([])
  })

  it('have names of their own', () => {
    const names = entities.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
    expect(names.length).toBeGreaterThan(0)
  })

  it('say what they are in the comment above them', () => {
    expect(entities.filter(({ about }) => about === '').map(({ name }) => name)).toEqual([])
  })

  it('are listed in docs/table.md', async () => {
    await expect(tableDocument(entities)).toMatchFileSnapshot('../../docs/table.md')
  })
})
