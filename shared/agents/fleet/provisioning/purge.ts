import {
  type Agent,
  agentSortKey,
  liveTasks,
  ownerOf,
  type AgentRef,
} from '#shared/agents/record/agent.ts'
import { lockForRemoval } from '#shared/agents/record/deleted.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { watchKey } from '#shared/agents/record/watch/write.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { sendDelete, sendSweep } from '../requests/send.ts'
import type { DeleteMessage, SweepMessage } from '../requests/topic.ts'
import type { ProvisioningContext } from './context.ts'

/** The time after which no further page is begun: the last page must finish within the function's timeout of 30 s. */
const budgetMs = 15_000

/** The retry delay while another process removes the data, or was killed while it did. */
const retrySeconds = 5

/**
 * Removes the data of a deleted agent. The row is removed last, so that a repeated message can continue. An agent that
 * is not deleted is left unchanged.
 */
export async function purgeAgent(
  ctx: ProvisioningContext,
  message: DeleteMessage,
  deadline = Date.now() + budgetMs,
): Promise<void> {
  const agent = await readAgent(ctx.table, message)
  if (!agent?.deleting) return
  await stopAll(ctx, agent)
  const release = await lockForRemoval(ctx.table, message)
  if (typeof release === 'string') return sendDelete(ctx.queues, agent, retrySeconds)
  const done = await removeAgentData(ctx, message, deadline).finally(release)
  if (!done) return sendDelete(ctx.queues, agent)
  // Sent before the row is deleted, because nothing would send it afterwards.
  await sendSweep(ctx.queues, agent)
  const { write } = userStore(ctx.table, ownerOf(agent))
  const refusals = await tryCommit(ctx.table, {
    agent: write.delete(agentSortKey(agent.id), { if: 'attribute_exists(#deleting)' }),
    watch: { delete: watchKey(message) },
  })
  // Another message has already deleted the row.
  if (refusals?.agent?.item !== undefined) throw refusalError(refusals, {})
}

/** Removes the data that requests still wrote after the deletion, such as the end of a chat or the cost of a call. */
export async function sweepAgent(
  ctx: ProvisioningContext,
  message: SweepMessage,
  deadline = Date.now() + budgetMs,
): Promise<void> {
  // Locks the agent first, so that a restore waits until the removal is finished.
  const release = await lockForRemoval(ctx.table, message)
  if (release === 'revived') return
  if (release === 'held') return sendSweep(ctx.queues, { ...message, id: message.agentId })
  const done = await removeLeft(ctx, message, deadline).finally(release)
  if (!done) await sendSweep(ctx.queues, { ...message, id: message.agentId })
}

async function removeLeft(ctx: ProvisioningContext, message: SweepMessage, deadline: number) {
  if ((await readAgent(ctx.table, message)) !== undefined) return true
  return removeAgentData(ctx, message, deadline)
}

/** Also stops tasks that the row does not contain, such as one whose start was interrupted before it was recorded. */
async function stopAll({ containers }: ProvisioningContext, agent: Agent): Promise<void> {
  const arns = new Set([...liveTasks(agent), ...(await containers.list(agent.id))])
  for (const arn of arns) await containers.stop(arn, 'The agent was deleted')
}

/**
 * Removes all rows of an agent except its own.
 * @param deadline epoch milliseconds
 * @returns true if all rows are removed, false if the deadline passed before
 */
async function removeAgentData(
  { table, onDeleted }: { table: Table; onDeleted: readonly DeletionHook[] },
  ref: AgentRef,
  deadline: number,
): Promise<boolean> {
  const store = userStore(table, ownerOf(ref))
  for (const remove of onDeleted)
    if (!(await remove({ table, store, agentId: ref.agentId, deadline }))) return false
  return true
}
