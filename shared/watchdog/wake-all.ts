import type { WatchdogContext } from './context.ts'
import type { Wake } from './messages.ts'
import { wakeAgent } from './wake.ts'

/**
 * Wakes agents side by side. One that cannot be woken does not hold up the others; the message comes back for it,
 * and those that took their step find another `dueAt` then.
 * @throws AggregateError of what failed
 */
export async function wakeAgents(ctx: WatchdogContext, wakes: readonly Wake[]): Promise<void> {
  const outcomes = await Promise.allSettled(wakes.map((wake) => wakeAgent(ctx, wake)))
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures.length > 0)
    throw new AggregateError(
      failures.map(({ reason }) => reason as unknown),
      `${failures.length} of ${wakes.length} agents could not be woken`,
    )
}
