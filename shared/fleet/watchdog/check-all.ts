import type { WatchdogContext } from './context.ts'
import type { Check } from './topic.ts'
import { checkAgent } from './check.ts'

/**
 * Checks agents side by side. One that cannot be checked does not hold up the others; the message comes back for it,
 * and those that took their step find another `dueAt` then.
 * @throws AggregateError of what failed
 */
export async function checkAgents(ctx: WatchdogContext, checks: readonly Check[]): Promise<void> {
  const outcomes = await Promise.allSettled(checks.map((check) => checkAgent(ctx, check)))
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures.length > 0)
    throw new AggregateError(
      failures.map(({ reason }) => reason as unknown),
      `${failures.length} of ${checks.length} agents could not be checked`,
    )
}
