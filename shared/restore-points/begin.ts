import type { Agent } from '../agents/agent.ts'
import { readAgent } from '../agents/find.ts'
import { countRefused, countUp, payingOwner } from '../agents/owner.ts'
import { agentRows } from '../agents/rows.ts'
import { requireEnabled } from '../agents/guard.ts'
import { limitReached } from '../fleet/provision.ts'
import { sendStart } from '../fleet/provisioning/messages.ts'
import type { UserContext } from '../identity/context.ts'
import { isPaying, subscriptionRequired } from '../plans/subscriptions.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { refusalError, tryCommit } from '../platform/table/commit.ts'
import { type Content, encode } from './content.ts'
import { keptMs } from './keep.ts'
import { countRows, rowsIn, rowsRefused } from './row-quota.ts'
import {
  objectOf,
  removalIndex,
  type Restore,
  restoreIndex,
  restoreRows,
  type Snapshot,
  snapshotRows,
} from './rows.ts'
import { begin } from './work/begin.ts'
import type { BeginContext } from './work/context.ts'
import { renew, takeRestore } from './work/hold.ts'

/** Longer than a request lives: whatever holds it by then was killed, and the job may take it up. */
const holdMs = 35_000

export type NewAgentContext = BeginContext & Pick<UserContext, 'actor' | 'seed'>

/** The id of the agent that a request makes. */
export function idOfBeginning({ seed }: Pick<UserContext, 'seed'>): string {
  return newId(agentRows.id, seed)
}

/**
 * Makes an agent for the caller that has memory, skills, schedules and conversations from the beginning, and starts it.
 * That it is to be, and its place among its owner's, are committed first, then what it is to have is kept, so that the
 * job makes it where this process dies. With the same seed it is the same agent.
 * @param given its agent's id is that of `idOfBeginning`
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription, 429 with current and limit, 429
 * IMPORT_LIMIT_REACHED; 409
 * and 401 as work/begin.ts; 503 with Retry-After while another process makes it
 */
export async function beginAgent(ctx: NewAgentContext, given: Content): Promise<Agent> {
  const { table, objects } = ctx
  const { user } = ctx.actor
  const userId = user.id
  const agentId = given.agent.id
  requireBeginning(ctx)
  const made = await readAgent(table, { userId, agentId })
  if (made !== undefined) return startAgain(ctx, made)
  const restore = await place(ctx, agentId, rowsIn(given))
  await objects.put(objectOf({ agentId, id: restore.snapshotId }), await encode(given))
  return begin(ctx, { restore, given, goOn: () => renew(table, restore, holdMs) })
}

/**
 * What needs nothing of the agent that is to be, so that it is asked before a large one is read.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription
 */
export function requireBeginning(ctx: Pick<NewAgentContext, 'actor' | 'config'>): void {
  const { user } = ctx.actor
  requireEnabled(ctx)
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
}

/** The one that the first try has made; it may have died before it asked for the start. */
async function startAgain({ queues }: NewAgentContext, agent: Agent): Promise<Agent> {
  if (agent.desired === 'running') await sendStart(queues, agent)
  return agent
}

/**
 * Counts the agent as one of its owner's, and counts its rows. @returns the request of the restore, held by this process
 */
async function place(
  { table, actor, seed }: NewAgentContext,
  agentId: string,
  rows: number,
): Promise<Restore> {
  const { user } = actor
  const userId = user.id
  const now = Date.now()
  const at = new Date(now).toISOString()
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
  const owner = payingOwner(user)
  const refusals = await tryCommit(table, {
    restore: {
      put: restoreRows.put({ userId, agentId }, restore, restoreIndex(agentId, heldUntil)),
      if: 'attribute_not_exists(pk)',
    },
    snapshot: {
      put: snapshotRows.put(
        { userId, agentId, snapshotId },
        snapshot,
        removalIndex(snapshotId, now + keptMs),
      ),
    },
    count: countUp(table, owner),
    rows: countRows(userId, rows, now),
  })
  if (refusals === undefined) return restore
  if (refusals.restore === undefined)
    throw refusalError(refusals, {
      count: (row) => countRefused(owner, row, limitReached),
      rows: (row) => rowsRefused(row, now),
    })
  const taken = await takeRestore(table, { userId, agentId, restoreId: restore.id, by: seed })
  if (taken !== undefined) return taken
  throw new PlatformError('unavailable', 'The agent is being made; ask again in a moment', {
    headers: { 'Retry-After': '5' },
  })
}
