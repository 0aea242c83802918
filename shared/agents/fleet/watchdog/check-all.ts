import { sendQuestions } from '../task-states/ask.ts'
import type { TaskQuestion } from '../task-states/topic.ts'
import { CheckBatches } from './batches.ts'
import { checkAgent } from './check.ts'
import type { WatchdogContext } from './context.ts'
import type { Check } from './topic.ts'

/**
 * Checks agents in parallel. A failed check does not delay the others; the message is delivered again, and agents that
 * have already taken their step have another `dueAt` by then. The following checks and requests are sent together at
 * the end. If this process dies before it sends them, the tick does.
 * @throws AggregateError of all failures
 */
export async function checkAgents(ctx: WatchdogContext, checks: readonly Check[]): Promise<void> {
  const later = new CheckBatches(ctx.queues)
  const questions: TaskQuestion[] = []
  const own: WatchdogContext = {
    ...ctx,
    checkLater: later.add.bind(later),
    askTogether: (question) => void questions.push(question),
  }
  const outcomes = await Promise.allSettled(checks.map((check) => checkAgent(own, check)))
  await later.flush()
  await sendQuestions(ctx.queues, questions)
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures.length > 0)
    throw new AggregateError(
      failures.map(({ reason }) => reason as unknown),
      `${failures.length} of ${checks.length} agents could not be checked`,
    )
}
