import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { turns } from '#shared/agents/record/watch/place.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { settings } from '#tests/support/agents/watchdog.ts'
import { settleWatchdog } from './settle.ts'
import { agentWith, epoch } from './testing/agents.ts'
import { roundMs, tickMs, timeOfTurn, turnsWithin } from './turns.ts'

const ticks = 600

/**
 * Returns the times of looks at an agent with this turn, over ten hours of ticks that begin at any second of a minute.
 */
function looksOf(turn: number, every: number, phase: number): number[] {
  const round = roundMs({ WATCHDOG_CHECK_INTERVAL: every })
  return Array.from({ length: ticks }, (_, n) => epoch + phase + n * tickMs).flatMap((at) =>
    turnsWithin(at, round)
      .filter(([first, last]) => first <= turn && turn <= last)
      .map(() => timeOfTurn(turn, at, round)),
  )
}

const anyTurn = fc.nat(turns - 1)
const anyInterval = fc.constantFrom(60, 61, 90, 119, 120, 300, 3600)

describe('a healthy agent', () => {
  it('is checked once an interval, in any slot of the interval', () => {
    fc.assert(
      fc.property(anyTurn, anyInterval, fc.nat(59), (turn, every, second) => {
        const looks = looksOf(turn, every, second * 1000)
        const gaps = new Set(looks.slice(1).map((look, i) => look - (looks[i] ?? 0)))
        expect(looks.length).toBeGreaterThanOrEqual(Math.floor((ticks * 60) / every) - 1)
        expect([...gaps]).toEqual([every * 1000])
      }),
      { numRuns: 500 },
    )
  })

  it('is checked within the minute of the tick that schedules it', () => {
    fc.assert(
      fc.property(anyTurn, anyInterval, fc.nat(10_000), (turn, every, second) => {
        const at = epoch + second * 1000
        for (const look of looksOf(turn, every, second * 1000).slice(0, 1))
          expect(look).toBeGreaterThanOrEqual(at)
        const round = roundMs({ WATCHDOG_CHECK_INTERVAL: every })
        const time = timeOfTurn(turn, at, round)
        const within = turnsWithin(at, round).some(([a, b]) => a <= turn && turn <= b)
        expect(within).toBe(time < at + tickMs)
      }),
      { numRuns: 2000 },
    )
  })

  it('is checked once after a long outage, not once for each missed check', () => {
    const due = epoch + 1000
    const late = due + 3_600_000
    const watchdog = { ...newWatchdog(epoch), state: 'running' as const, generation: 1, dueAt: due }
    const agent = agentWith({ status: 'running', taskArn: 'arn', taskStatus: 'RUNNING', watchdog })
    const { agent: after } = settleWatchdog(agent, settings, late, { type: 'check-passed' })
    expect(after.watchdog.dueAt).toBe(late + 120_000)
  })
})
