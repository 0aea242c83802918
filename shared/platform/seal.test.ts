import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sealer } from './seal.ts'

const key = 'a key of the tests, which is long enough'

describe('a sealed text', () => {
  it('opens with its own context, and differs each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string(), async (text, place) => {
        const [first, second] = [
          await sealer(key).seal(text, place),
          await sealer(key).seal(text, place),
        ]
        expect(first).not.toBe(second)
        expect(first).toMatch(/^v1\.[\w-]+$/)
        expect(await sealer(key).open(first, place)).toBe(text)
      }),
      { numRuns: 50 },
    )
  })

  it('opens with no other context and no other key', async () => {
    const sealed = await sealer(key).seal('secret', 'user#a/row')
    expect(await sealer(key).open(sealed, 'user#b/row')).toBeUndefined()
    expect(await sealer(`${key}.`).open(sealed, 'user#a/row')).toBeUndefined()
  })

  it('does not open with any byte changed, or removed', async () => {
    const sealed = await sealer(key).seal('secret', 'place')
    const bytes = Buffer.from(sealed.slice(3), 'base64url')
    for (const i of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[i] = (changed[i] ?? 0) ^ 1
      expect(await sealer(key).open(`v1.${changed.toString('base64url')}`, 'place')).toBeUndefined()
      const cut = `v1.${bytes.subarray(0, i).toString('base64url')}`
      expect(await sealer(key).open(cut, 'place')).toBeUndefined()
    }
  })

  it('cannot be another value of a caller', async () => {
    const forms = fc.oneof(
      fc.string(),
      fc.base64String().map((text) => `v1.${text}`),
      fc.constantFrom('', 'v1.', 'v1.A', 'v1.AAAAA', 'v2.AAAA'),
    )
    await fc.assert(
      fc.asyncProperty(forms, async (text) => {
        expect(await sealer(key).open(text, 'place')).toBeUndefined()
      }),
    )
  })
})
