import { capsIn } from '#shared/money/amounts/cap.ts'
import { newId } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Condition, Item } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { isoOf } from '#shared/platform/times.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import {
  type Agent,
  agentKey,
  aiKeyKey,
  locatorKey,
  ownerOf,
  subdomainKey,
} from '../record/agent.ts'
import type { AgentContext } from '../record/context.ts'
import { webhookEventsOf } from '../record/events/webhook.ts'
import { findAgent } from '../record/find.ts'
import { countAgentDown } from '../record/owner.ts'
import { deletedAgentMs, deletedAgentRows } from '../record/rows.ts'
import { placeOf } from '../record/watch/place.ts'
import { watchWrite } from '../record/watch/write.ts'
import { rested } from '../watchdog/forgive.ts'
import { sendDelete } from './requests/send.ts'
import { stopped } from './states/end.ts'

/** A condition for the transaction that deletes an agent. */
export interface DeleteOnly {
  /** Called with the current agent. */
  decide: (current: Agent) => boolean
  /** A condition on its owner's profile. */
  owner: Condition & { if: string }
  /** Makes the error for a failed condition on the profile. */
  refused: () => Error
}

/**
 * Deletes an agent. From then on no request finds it, its key is invalid and it no longer counts against the plan. The
 * provisioning job creates a restore point, then removes the container, the data and the row. `agent.deleted` is sent
 * to the owner's webhook endpoints. An agent that does not exist for this owner counts as deleted.
 * @param input.owner undefined for a trusted caller that acts for no user: it can delete any agent
 * @param input.only absent to delete the agent in any state
 */
export async function deleteAgent(
  ctx: AgentContext,
  { agentId, owner, only }: { agentId: string; owner: string | undefined; only?: DeleteOnly },
): Promise<void> {
  await retryOptimistically(async () => {
    const agent = await findAgent(ctx, { agentId, owner })
    if (agent === undefined || only?.decide(agent) === false) return undefined
    return (await markDeleted(ctx, agent, only)) ? sendDelete(ctx.queues, agent) : overtaken
  })
}

/** @returns false if the agent has changed in the meantime */
async function markDeleted(
  ctx: AgentContext,
  agent: Agent,
  only: DeleteOnly | undefined,
): Promise<boolean> {
  const { table } = ctx
  const { status, desired } = stopped(agent)
  const updatedAt = new Date().toISOString()
  const revision = agent.revision + 1
  // The watchdog has nothing left to check; only the deletion is due.
  const watchdog = rested(agent.watchdog, Date.parse(updatedAt))
  const changed = { status, desired, deleting: true as const, watchdog, revision, updatedAt }
  const deleted = { ...agent, ...changed, retryAt: undefined }
  const refusals = await tryCommit(table, {
    agent: {
      update: agentKey({ userId: agent.userId, agentId: agent.id }),
      set: { ...changed, watched: placeOf(deleted) },
      remove: ['aiKeyHash', 'retryAt', 'startAttempts'],
      if: '#revision = :revision',
      values: { revision: agent.revision },
    },
    watch: watchWrite(deleted, agent.watched),
    deleted: { put: deletedItem(agent) },
    locator: { delete: locatorKey(agent.id) },
    subdomain: { delete: subdomainKey(agent.subdomain) },
    aiKey: agent.aiKeyHash === undefined ? undefined : { delete: aiKeyKey(agent.aiKeyHash) },
    count:
      agent.userId === null ? undefined : await countAgentDown(table, agent.userId, only?.owner),
    ...(await webhookParts(ctx, agent.userId, webhookEventsOf(agent, deleted))),
  })
  if (refusals?.count !== undefined && only !== undefined) throw only.refused()
  return refusals === undefined
}

function deletedItem(agent: Agent, now = Date.now()): Item {
  const { id: agentId, name, subdomain, generation, tokenVersion, config } = agent
  return deletedAgentRows.put(
    { userId: ownerOf(agent), agentId },
    {
      agentId,
      name,
      subdomain,
      deletedAt: isoOf(now),
      snapshotId: newId('snp'),
      generation,
      tokenVersion,
      ...capsIn(config),
    },
    { expiresAt: Math.ceil((now + deletedAgentMs) / 1000) },
  )
}
