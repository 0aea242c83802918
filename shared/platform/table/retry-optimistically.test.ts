import { describe, expect, it, vi } from 'vitest'
import { overtaken, retryOptimistically } from './retry-optimistically.ts'

describe('retryOptimistically', () => {
  it('repeats a round until it is not overtaken, and returns its result', async () => {
    let rounds = 0
    const result = await retryOptimistically(async () => (++rounds < 4 ? overtaken : rounds))
    expect(result).toBe(4)
  })

  it('returns undefined and false as results', async () => {
    expect(await retryOptimistically(async () => undefined)).toBeUndefined()
    expect(await retryOptimistically(async () => false)).toBe(false)
  })

  it('does not repeat a round that throws', async () => {
    let rounds = 0
    const failing = retryOptimistically(async () => {
      rounds++
      throw new Error('broken')
    })
    await expect(failing).rejects.toThrow('broken')
    expect(rounds).toBe(1)
  })

  it('throws 503 with Retry-After after a hundred overtaken rounds', async () => {
    using _random = vi.spyOn(Math, 'random').mockReturnValue(0)
    let rounds = 0
    const hopeless = retryOptimistically(async () => {
      rounds++
      return overtaken
    })
    await expect(hopeless).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Too many concurrent writes; try again',
      headers: { 'Retry-After': '1' },
    })
    expect(rounds).toBe(100)
  })
})
