import { tryCommit } from '../platform/table/commit.ts'
import { type Agent, agentKey, aiKeyKey, locatorKey, subdomainKey } from '../agents/agent.ts'
import type { AgentContext } from '../agents/context.ts'
import { findAgent } from '../agents/find.ts'
import { stopped } from './lifecycle/end.ts'
import { countDown } from '../agents/owner.ts'
import { sendDelete } from './provisioning/messages.ts'

/**
 * Deletes an agent: no request finds it from then on, its key is void and its place free. The provisioning job removes its
 * container, then its data and at last its row. One that does not exist, or not for this owner, counts as deleted.
 * @param input.owner undefined for a trusted caller that acts for no user: it may delete any
 */
export async function deleteAgent(
  ctx: AgentContext,
  { agentId, owner }: { agentId: string; owner: string | undefined },
): Promise<void> {
  for (;;) {
    const agent = await findAgent(ctx, { agentId, owner })
    if (agent === undefined) return
    if (await markDeleted(ctx, agent)) return sendDelete(ctx.queues, agent)
  }
}

/** @returns false where the agent has changed meanwhile */
async function markDeleted(ctx: AgentContext, agent: Agent): Promise<boolean> {
  const { table } = ctx
  const { status, desired } = stopped(agent)
  const refusals = await tryCommit(table, {
    agent: {
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
    locator: { delete: locatorKey(agent.id) },
    subdomain: { delete: subdomainKey(agent.subdomain) },
    aiKey: agent.aiKeyHash === undefined ? undefined : { delete: aiKeyKey(agent.aiKeyHash) },
    count: agent.userId === null ? undefined : await countDown(table, agent.userId),
  })
  return refusals === undefined
}
