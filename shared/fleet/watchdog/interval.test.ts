import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settings } from '../../../tests/support/watchdog.ts'
import type { Agent } from '../../agents/agent.ts'
import { isDue } from './due.ts'
import { newWatchdog } from '../../watchdog/schema.ts'
import { settle } from './settle.ts'
import { agentWith, epoch } from './testing/agents.ts'

const tickMs = 60_000
const rounds = 600

/** How late a tick is, and how long its check is on its way: seconds of each, as schedules and queues have them. */
const jitter = fc.record({ tick: fc.nat(3000), check: fc.nat(20_000) })

/** When an agent that is well is looked at, over ten hours of ticks. */
function looksOf(
  interval: number,
  phase: number,
  lags: readonly { tick: number; check: number }[],
) {
  const own = { ...settings, WATCHDOG_CHECK_INTERVAL: interval }
  let agent: Agent = agentWith({
    status: 'running',
    taskArn: 'arn',
    taskStatus: 'RUNNING',
    watchdog: { ...newWatchdog(epoch), state: 'running', generation: 1, dueAt: epoch + phase },
  })
  const looks: number[] = []
  let writes = 0
  for (let n = 0; n < rounds; n++) {
    const lag = lags[n % lags.length] ?? { tick: 0, check: 0 }
    const tickAt = epoch + n * tickMs + lag.tick
    if (!isDue(agent, tickAt)) continue
    const lookAt = tickAt + lag.check
    agent = settle(agent, own, lookAt, { type: 'check-passed' }).agent
    looks.push(lookAt)
    writes++
  }
  return { looks, writes }
}

const meanGap = (looks: readonly number[]) =>
  ((looks.at(-1) ?? 0) - (looks[0] ?? 0)) / 1000 / (looks.length - 1)

describe('an agent that is well', () => {
  it.each([60, 90, 120, 300])(
    'is looked at every %i s, however late ticks and checks are',
    (every) => {
      fc.assert(
        fc.property(
          fc.nat(120_000),
          fc.array(jitter, { minLength: 1, maxLength: 40 }),
          (phase, lags) => {
            const { looks, writes } = looksOf(every, phase, lags)
            expect(Math.abs(meanGap(looks) - every)).toBeLessThan(every / 50)
            expect(writes).toBe(looks.length)
          },
        ),
        { numRuns: 200 },
      )
    },
  )

  it('is looked at once after a long outage, not once for each look that was missed', () => {
    const due = epoch + 1000
    const late = due + 3_600_000
    const watchdog = { ...newWatchdog(epoch), state: 'running' as const, generation: 1, dueAt: due }
    const agent = agentWith({ status: 'running', taskArn: 'arn', taskStatus: 'RUNNING', watchdog })
    const { agent: after } = settle(agent, settings, late, { type: 'check-passed' })
    expect(after.watchdog.dueAt).toBe(late + 120_000)
  })
})
