import type { Agent } from '#shared/agents/record/agent.ts'
import { chunks } from '#shared/platform/chunks.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { type TaskQuestion, taskStates, tasksPerMessage } from './topic.ts'

export interface AsksTogether {
  /** Collects the requests of several agents for one message. */
  askTogether?: ((question: TaskQuestion) => void) | undefined
}

/**
 * Requests the state of an agent's task whose events are overdue. A request can be lost; the watchdog repeats it.
 * @param askedAt recorded in the agent's row if the task exists
 */
export async function askForTask(
  { queues, askTogether }: Sends<'task-states'> & AsksTogether,
  { id: agentId, userId, taskArn }: Pick<Agent, 'id' | 'userId' | 'taskArn'>,
  askedAt?: number,
): Promise<void> {
  if (taskArn === undefined) return
  const question = { userId, agentId, taskArn, ...(askedAt !== undefined && { askedAt }) }
  if (askTogether === undefined) await sendQuestions(queues, [question])
  else askTogether(question)
}

/** Sends the collected requests, a hundred per message. */
export async function sendQuestions(
  queues: Queues<'task-states'>,
  questions: readonly TaskQuestion[],
): Promise<void> {
  const messages = chunks(questions, tasksPerMessage).map((tasks) => ({ tasks }))
  if (messages.length > 0) await queues.sendAll(taskStates, messages)
}
