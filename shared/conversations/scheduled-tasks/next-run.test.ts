import { expect, it } from 'vitest'
import { nextRun } from './next-run.ts'

const london = (cronSchedule: string, after: string) =>
  nextRun({ cronSchedule, timezone: 'Europe/London' }, new Date(after))

it('the next run is the next time in the schedule’s own zone', () => {
  expect(london('0 9 * * *', '2026-01-10T10:00:00Z')).toBe('2026-01-11T09:00:00.000Z')
  expect(london('0 9 * * *', '2026-07-10T10:00:00Z')).toBe('2026-07-11T08:00:00.000Z')
})

it('the next run is never the current time itself', () => {
  expect(london('0 9 * * *', '2026-01-10T09:00:00Z')).toBe('2026-01-11T09:00:00.000Z')
})

it('moves to the end of the gap when summer time starts', () => {
  expect(london('30 1 * * *', '2026-03-29T00:00:00Z')).toBe('2026-03-29T01:00:00.000Z')
  expect(london('30 1 * * *', '2026-03-29T01:30:00Z')).toBe('2026-03-30T00:30:00.000Z')
})

it('runs once in the repeated hour when summer time ends', () => {
  const first = london('30 1 * * *', '2026-10-25T00:00:00Z')
  expect(first).toBe('2026-10-25T00:30:00.000Z')
  expect(london('30 1 * * *', String(first))).toBe('2026-10-26T01:30:00.000Z')
})
