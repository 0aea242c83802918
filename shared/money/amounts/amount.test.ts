import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  add,
  allocate,
  amountOf,
  amountPattern,
  average,
  compare,
  format,
  fromFloat,
  parse,
  toNumber,
} from './amount.ts'

const minor = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n })
const usd = (text: string) => parse('USD', text)

describe('an amount', () => {
  it.each([
    ['1', 1_000_000n],
    ['0', 0n],
    ['0.000001', 1n],
    ['007.5', 7_500_000n],
    ['999999999999.999999', 10n ** 18n - 1n],
  ])('is parsed from %s', (text, expected) => {
    expect(usd(text)).toEqual({ currency: 'USD', minor: expected })
  })

  it.each([
    '',
    ' ',
    '.',
    '1.',
    '.5',
    '-1',
    '+1',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '1,5',
    '1_000',
    '1.2.3',
    '١',
    'NaN',
    'Infinity',
    '1.0000001',
    '1234567890123',
    '1n',
  ])('is not parsed from %j', (text) => {
    expect(() => usd(text)).toThrow(RangeError)
    expect(amountPattern.test(text)).toBe(false)
  })

  it('has no more decimals than its currency', () => {
    expect(parse('GBP', '29.99')).toEqual(amountOf('GBP', 2999n))
    expect(() => parse('GBP', '29.999')).toThrow(RangeError)
  })

  it('is formatted without trailing zeros', () => {
    fc.assert(
      fc.property(minor, fc.integer({ min: 0, max: 6 }), (units, least) => {
        const amount = amountOf('USDC', units)
        const text = format(amount, least)
        expect(parse('USDC', text)).toEqual(amount)
        expect(text.split('.')[1]?.length ?? 0).toBeGreaterThanOrEqual(least)
      }),
    )
    expect(format(usd('1.50'))).toBe('1.5')
    expect(format(usd('1'), 1)).toBe('1.0')
    expect(format(usd('1.5'), 6)).toBe('1.500000')
    expect(format(amountOf('USD', -1_500_000n))).toBe('-1.5')
  })

  it('is added and compared in its minor units', () => {
    fc.assert(
      fc.property(minor, minor, (a, b) => {
        const [left, right] = [amountOf('pathUSD', a), amountOf('pathUSD', b)]
        expect(add(left, right)).toEqual(amountOf('pathUSD', a + b))
        expect(compare(left, right)).toBe(Number(a > b) - Number(a < b))
      }),
    )
  })
})

describe('an allocation', () => {
  const weights = fc
    .array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 50 })
    .filter((all) => all.some((weight) => weight > 0n))

  it('adds up to the amount exactly, and no part differs from its share by a whole unit', () => {
    fc.assert(
      fc.property(minor, weights, (units, all) => {
        const parts = allocate(amountOf('USDC', units), all).map((part) => part.minor)
        const sum = all.reduce((total, weight) => total + weight, 0n)
        expect(parts.reduce((total, part) => total + part, 0n)).toBe(units)
        for (const [i, weight] of all.entries()) {
          const away = (parts[i] ?? -1n) * sum - units * weight
          expect(away > -sum && away < sum).toBe(true)
          if (weight === 0n) expect(parts[i]).toBe(0n)
        }
      }),
    )
  })

  it('gives the rest to the largest remainders, and to the first of equal remainders', () => {
    const parts = (units: bigint, all: bigint[]) =>
      allocate(amountOf('USDC', units), all).map((part) => part.minor)
    expect(parts(100n, [1n, 1n, 1n])).toEqual([34n, 33n, 33n])
    expect(parts(10n, [1n, 2n, 4n])).toEqual([1n, 3n, 6n])
    expect(parts(0n, [1n, 2n])).toEqual([0n, 0n])
  })

  it.each([
    ['nothing', 1n, []],
    ['weights of 0', 1n, [0n, 0n]],
    ['a negative weight', 1n, [2n, -1n]],
    ['a negative amount', -1n, [1n]],
  ])('is rejected for %s', (_, units, all) => {
    expect(() => allocate(amountOf('USD', units), all)).toThrow(RangeError)
  })
})

describe('a number with a binary fraction', () => {
  it.each([
    [0.1 + 0.2, 'up', 300_000n],
    [1_000_000.1, 'up', 1_000_000_100_000n],
    [0.000_000_1, 'up', 1n],
    [0.000_000_1, 'nearest', 0n],
    [0.000_000_5, 'nearest', 1n],
    [1e-300, 'up', 1n],
    [0, 'up', 0n],
    [1e15, 'up', 10n ** 21n],
  ] as const)('%d rounds %s to %d millionths', (value, rounding, expected) => {
    expect(fromFloat('USD', value, rounding)).toEqual(amountOf('USD', expected))
  })

  it('is exact within the decimals of the currency', () => {
    const units = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n })
    fc.assert(
      fc.property(units, fc.constantFrom('up', 'nearest'), (count, rounding) => {
        const amount = amountOf('USD', count)
        expect(fromFloat('USD', toNumber(amount), rounding)).toEqual(amount)
      }),
    )
  })

  it('is never rounded up to a smaller amount, or by more than a unit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (value) => {
        const above = toNumber(fromFloat('USD', value, 'up')) - value
        expect(above).toBeGreaterThan(-1e-8)
        expect(above).toBeLessThan(1.01e-6)
      }),
    )
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('is rejected as %d', (value) => {
    expect(() => fromFloat('USD', value, 'up')).toThrow(RangeError)
  })
})

it('averages to the nearest unit', () => {
  expect(average(amountOf('meteredUSD', 400_000_000n), 3).minor).toBe(133_333_333n)
  expect(average(amountOf('USD', 5n), 2).minor).toBe(3n)
})
