import type { Agent } from '../../agents/agent.ts'
import { chunks } from '../../platform/chunks.ts'
import type { Queues } from '../../platform/queues/port.ts'
import { type TaskQuestion, taskStates, tasksPerMessage } from './topic.ts'

export interface AskContext {
  queues: Queues<'task-states'>
  /** Gathers questions, so that those of several agents go out in one message. */
  askTogether?: ((question: TaskQuestion) => void) | undefined
}

/**
 * Asks for the state of an agent's task, whose events have not come for too long. A question may be lost: the watchdog
 * asks again.
 * @param askedAt is noted in the agent's row where the task is there
 */
export async function askForTask(
  { queues, askTogether }: AskContext,
  { id: agentId, userId, taskArn }: Pick<Agent, 'id' | 'userId' | 'taskArn'>,
  askedAt?: number,
): Promise<void> {
  if (taskArn === undefined) return
  const question = { userId, agentId, taskArn, ...(askedAt !== undefined && { askedAt }) }
  if (askTogether === undefined) await sendQuestions(queues, [question])
  else askTogether(question)
}

/** Sends the questions that were gathered, a hundred to a message. */
export async function sendQuestions(
  queues: Queues<'task-states'>,
  questions: readonly TaskQuestion[],
): Promise<void> {
  const messages = chunks(questions, tasksPerMessage).map((tasks) => ({ tasks }))
  if (messages.length > 0) await queues.sendAll(taskStates, messages)
}
