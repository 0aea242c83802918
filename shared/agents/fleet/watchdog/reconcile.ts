import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentQueue } from '#shared/agents/record/context.ts'
import { type Missing, missing } from '#shared/agents/record/watch/missing.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { startGeneration } from '../lifecycle/generation.ts'
import { sendDelete, sendStart, sendStops } from '../requests/send.ts'
import { askForTask, type AsksTogether } from '../task-states/ask.ts'

/**
 * Sends messages that were lost after a commit. Sending a message that was not lost is harmless.
 * @returns the missing message
 */
export async function reconcile(
  ctx: AgentContext<AgentQueue | 'task-states'> & Sends<'task-states'> & AsksTogether,
  agent: Agent,
  now = Date.now(),
): Promise<Missing | undefined> {
  const found = missing(agent, now)
  if (found === 'start') await sendStart(ctx.queues, agent)
  if (found === 'restart') await startGeneration(ctx, { agent, reason: 'host-lost' })
  if (found === 'news') await askForTask(ctx, agent)
  if (found === 'stop') await sendStops(ctx.queues, agent)
  if (found === 'delete') await sendDelete(ctx.queues, agent)
  return found
}
