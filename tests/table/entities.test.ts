import { describe, expect, it } from 'vitest'
import { userRecord } from '#shared/accounts/users/record.ts'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { idPattern, newId } from '#shared/platform/ids.ts'
import { declaredEntities, headOf, tableDocument } from './entities.ts'

const entities = await declaredEntities()

/** Returns whether a text could start with both. */
const overlap = (a: string, b: string) => a.startsWith(b) || b.startsWith(a)

describe('the rows of the table', () => {
  it('have unique keys: no row is read as another kind', () => {
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

  it('have unique names', () => {
    const names = entities.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
    expect(names.length).toBeGreaterThan(0)
  })

  it('have unique counters in the account, apart from its own fields', () => {
    const counts = entities.flatMap(({ count }) => count ?? [])
    expect(counts).toEqual([...new Set(counts)])
    expect(counts.length).toBeGreaterThan(0)
    expect(counts.filter((count) => count in userRecord().shape)).toEqual([])
  })

  it('have a description in the comment above them', () => {
    expect(entities.filter(({ about }) => about === '').map(({ name }) => name)).toEqual([])
  })

  it('are listed in docs/reference/table.md', async () => {
    await expect(tableDocument(entities)).toMatchFileSnapshot('../../docs/reference/table.md')
  })
})

describe('ids', () => {
  const declared = entities.flatMap(({ id }) => id ?? [])
  const unstored = Object.values(idPrefixes).filter((prefix) => !declared.includes(prefix))
  const prefixes = [...declared, ...unstored]

  it.each(prefixes)('ids with the prefix %s have one kind', (prefix) => {
    const id = newId(prefix)
    const alike = prefixes.filter((other) => new RegExp(`^${idPattern(other)}$`).test(id))
    expect(alike).toEqual([prefix])
  })
})
