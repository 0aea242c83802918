import { provisionLimitReached } from '#shared/agents/fleet/provision.ts'
import { sendStart } from '#shared/agents/fleet/requests/send.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { requireEnabled } from '#shared/agents/record/guard.ts'
import { countRefused, countAgentUp, payingOwner } from '#shared/agents/record/owner.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { isPaying, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type SnapshotContent, encode } from './content.ts'
import { countRows, rowsIn, rowsRefused } from './row-quota.ts'
import {
  objectOf,
  type Restore,
  restoreRows,
  restoresDue,
  type Snapshot,
  snapshotRows,
  snapshotsDue,
} from './rows.ts'
import { automaticLifetimeMs } from './store-snapshot.ts'
import { createRestoredAgent } from './work/begin.ts'
import type { RestoreWorkContext } from './work/context.ts'
import { claimRestore, requestOf, restoreItems } from './work/lease.ts'

/**
 * The lease of a request, longer than the request can run. After it, its process was killed and the job may take over.
 */
const holdMs = 35_000

/** Returns the id of the agent that a request creates. */
export function idOfBeginning({ seed }: Pick<UserContext, 'seed'>): string {
  return newId(agentRows.id, seed)
}

/**
 * Creates an agent with initial memory, skills, schedules and conversations, and starts it. The request and the
 * counters are committed first, then the content is stored, so that the job creates the agent if this process dies. The
 * same seed creates the same agent.
 * @param content with the agent id from `idOfBeginning`
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription, 429 with current and limit, 429
 * IMPORT_LIMIT_REACHED; 409 and 401 as work/begin.ts; 503 with Retry-After while another process creates it
 */
export async function beginAgent(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'seed'> & RestoreWorkContext<'provisioning'>,
  content: SnapshotContent,
): Promise<Agent> {
  const { table, owner, objects } = ctx
  const agentId = content.agent.id
  requireBeginning(ctx)
  const made = await readAgent(table, { userId: owner, agentId })
  if (made !== undefined) return startAgain(ctx, made)
  const restore = await place(ctx, agentId, rowsIn(content))
  await objects.put(objectOf({ agentId, id: restore.snapshotId }), await encode(content))
  return createRestoredAgent(ctx, {
    restore,
    content,
    goOn: () => restoreItems.renew({ table }, restore, { forMs: holdMs }),
  })
}

/**
 * Runs the checks that do not need the content, so that a large content is not read in vain.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription
 */
export function requireBeginning(
  ctx: Pick<UserContext, 'actor'> & Pick<RestoreWorkContext<'provisioning'>, 'config'>,
): void {
  const { user } = ctx.actor
  requireEnabled(ctx)
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
}

/** Returns the agent that the first attempt created. That attempt may have died before it requested the start. */
async function startAgain(
  { queues }: Pick<RestoreWorkContext<'provisioning'>, 'queues'>,
  agent: Agent,
): Promise<Agent> {
  if (agent.desired === 'running') await sendStart(queues, agent)
  return agent
}

/**
 * Counts the agent and its rows for its owner.
 * @returns the request of the restore, held by this process
 */
async function place(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'seed'> & RestoreWorkContext<'provisioning'>,
  agentId: string,
  rows: number,
): Promise<Restore> {
  const { table, owner: userId, seed } = ctx
  const now = Date.now()
  const at = isoOf(now)
  const snapshotId = newId(snapshotRows.id, seed)
  const heldUntil = now + holdMs
  const restore: Restore = {
    id: newId(restoreRows.id, seed),
    userId,
    agentId,
    snapshotId,
    revives: false,
    begins: true,
    rows,
    requestedAt: at,
    heldBy: seed,
    heldUntil,
  }
  const snapshot: Snapshot = {
    id: snapshotId,
    userId,
    agentId,
    name: null,
    kind: 'begin',
    createdAt: at,
  }
  const owner = payingOwner(ctx)
  const refusals = await tryCommit(table, {
    restore: {
      put: restoreRows.put({ userId, agentId }, restore, restoresDue.at(agentId, heldUntil)),
      if: 'attribute_not_exists(pk)',
    },
    snapshot: {
      put: snapshotRows.put(
        { userId, agentId, snapshotId },
        snapshot,
        snapshotsDue.at(snapshotId, now + automaticLifetimeMs),
      ),
    },
    count: countAgentUp(table, owner),
    rows: countRows(userId, rows, now),
  })
  if (refusals === undefined) return restore
  if (refusals.restore === undefined)
    throw refusalError(refusals, {
      count: (row) => countRefused(owner, row, provisionLimitReached),
      rows: (row) => rowsRefused(row, now),
    })
  const claimed = await claimRestore({ table }, requestOf(restore))
  if (claimed !== undefined) return claimed
  throw new PlatformError('unavailable', 'The agent is being created; try again in a moment', {
    headers: { 'Retry-After': '5' },
  })
}
