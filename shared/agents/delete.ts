import { TransactionFailed } from '../platform/table/port.ts'
import { type Agent, agentKey, aiKeyKey, locatorKey, subdomainKey } from './agent.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import type { AgentContext } from './context.ts'
import { findAgent } from './find.ts'
import { stopped } from './lifecycle/end.ts'
import { countDown } from './owner.ts'
import { sendDelete } from './provisioning/messages.ts'

/**
 * Deletes an agent: gone for everyone at once, its key void and its place free; its container, all that is kept of
 * it and at last its row are the consumer's to remove. One that does not exist, or not for this owner, is as good as deleted.
 */
export async function deleteAgent(
  ctx: AgentContext,
  id: string,
  owner: string | undefined,
): Promise<void> {
  for (;;) {
    const agent = await findAgent(ctx.table, id, owner)
    if (agent === undefined) return
    if (await markDeleted(ctx, agent)) return sendDelete(ctx.queues, agent)
  }
}

/** @returns false where the agent has changed meanwhile */
async function markDeleted({ table }: AgentContext, agent: Agent): Promise<boolean> {
  const { status, desired } = stopped(agent)
  const writes = [
    {
      update: agentKey({ userId: agent.userId, agentId: agent.id }),
      set: {
        status,
        desired,
        deleting: true,
        revision: agent.revision + 1,
        updatedAt: new Date().toISOString(),
      },
      remove: ['aiKeyHash', 'retryAt', 'startAttempts'],
      if: '#revision = :revision',
      values: { revision: agent.revision },
    },
    { delete: locatorKey(agent.id) },
    { delete: subdomainKey(agent.subdomain) },
    ...(agent.aiKeyHash === undefined ? [] : [{ delete: aiKeyKey(agent.aiKeyHash) }]),
    ...(agent.userId === null ? [] : [await countDown(table, agent.userId)]),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
    return true
  } catch (error) {
    if (error instanceof TransactionFailed && error.refused(0)) return false
    throw error
  }
}
