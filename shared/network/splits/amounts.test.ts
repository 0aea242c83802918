import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountOf, parse } from '#shared/money/amounts/amount.ts'
import { amountsOf } from './amounts.ts'

const share = fc.double({ min: Number.MIN_VALUE, max: 100, noNaN: true })
const shares = fc.array(share, { minLength: 1, maxLength: 50 })
const total = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n })

const micro = (units: bigint, given: readonly number[]) =>
  amountsOf(amountOf('USDC', units), given).map(({ minor }) => minor)

describe('the amounts of a split', () => {
  it('add up to the total exactly, and are never negative', () => {
    fc.assert(
      fc.property(total, shares, (units, given) => {
        const parts = micro(units, given)
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(units)
        expect(parts.every((part) => part >= 0n)).toBe(true)
      }),
    )
  })

  it('are within one millionth of the exact shares', () => {
    const percent = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(total, percent, (units, hundredths) => {
        const sum = BigInt(hundredths.reduce((all, one) => all + one, 0))
        const parts = micro(
          units,
          hundredths.map((one) => one / 100),
        )
        for (const [i, one] of hundredths.entries()) {
          const away = (parts[i] ?? -1n) * sum - units * BigInt(one)
          expect(away < sum && away > -sum).toBe(true)
        }
      }),
    )
  })

  it('the amounts of a split of equal shares differ by one millionth at most', () => {
    fc.assert(
      fc.property(total, share, fc.integer({ min: 1, max: 50 }), (units, one, count) => {
        const parts = micro(units, Array<number>(count).fill(one))
        const least = parts.reduce((low, part) => (part < low ? part : low))
        expect(parts.every((part) => part - least <= 1n)).toBe(true)
      }),
    )
  })

  it('give a larger share at least as much', () => {
    fc.assert(
      fc.property(total, shares, (units, given) => {
        const sorted = given.toSorted((a, b) => b - a)
        const parts = micro(units, sorted)
        for (const [i, part] of parts.entries())
          expect(part >= (parts[i + 1] ?? 0n) || sorted[i] === sorted[i + 1]).toBe(true)
      }),
    )
  })

  it.each([
    ['100', [50, 30, 20], ['50', '30', '20']],
    ['0.000001', [50, 50], ['0.000001', '0']],
    ['1', [33.33, 33.33, 33.34], ['0.3333', '0.3333', '0.3334']],
    ['0.1', [33.333333, 33.333333, 33.333334], ['0.033333', '0.033333', '0.033334']],
    // 0.1 and 0.2 are used as decimals, not as the nearest binary fractions.
    ['6', [0.1, 0.2, 0.3], ['1', '2', '3']],
    ['999999999999.999999', [99.995, 1e-7], ['999999998999.949997', '1000.050002']],
  ])('the amounts of a split of %s by %j are %j', (text, given, expected) => {
    expect(amountsOf(parse('USDC', text), given)).toEqual(
      expected.map((part) => parse('USDC', part)),
    )
  })
})
