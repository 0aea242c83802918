import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dayAfter, dayOf, eachDay, lastDays, mondayOf, monthToDate } from '#shared/platform/days.ts'

const at = (text: string) => Date.parse(text)

it('days are in UTC, today included', () => {
  expect(lastDays(1, at('2026-11-21T23:59:59.999Z'))).toEqual({
    from: '2026-11-21',
    to: '2026-11-21',
  })
  expect(lastDays(7, at('2026-11-22T01:30:00+02:00'))).toEqual({
    from: '2026-11-15',
    to: '2026-11-21',
  })
  expect(monthToDate(at('2026-12-01T00:00:00Z'))).toEqual({ from: '2026-12-01', to: '2026-12-01' })
  expect(monthToDate(at('2026-11-30T23:59:59Z'))).toEqual({ from: '2026-11-01', to: '2026-11-30' })
  expect(eachDay({ from: '2028-02-28', to: '2028-03-01' })).toEqual([
    '2028-02-28',
    '2028-02-29',
    '2028-03-01',
  ])
  expect(dayAfter('2026-12-31')).toBe('2027-01-01')
})

it('a week begins on Monday', () => {
  expect(mondayOf(at('2026-11-16T00:00:00Z'))).toBe('2026-11-16')
  expect(mondayOf(at('2026-11-22T23:59:59Z'))).toBe('2026-11-16')
  expect(mondayOf(at('2026-12-01T12:00:00Z'))).toBe('2026-11-30')
})

it('a range has the requested number of days in order', () => {
  const moment = fc.date({
    min: new Date('2000-01-01'),
    max: new Date('2100-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 365 }), moment, (count, date) => {
      const days = eachDay(lastDays(count, date.getTime()))
      expect(days).toHaveLength(count)
      expect(days.at(-1)).toBe(dayOf(date.getTime()))
      for (const [i, each] of days.entries())
        if (i > 0) expect(each).toBe(dayAfter(days[i - 1] ?? ''))
    }),
  )
})
