import { expectPacks } from '#shared/agents/files/collection/expect-packs.ts'
import { reserveFor } from '#shared/agents/files/replace.ts'
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
import { encode, type InitialFiles, type SnapshotContent } from './content.ts'
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
import { createRestoredAgent, undo } from './work/begin.ts'
import type { BeginContext } from './work/context.ts'
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
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription, 402 STORAGE_LIMIT_REACHED, 429 with current and limit, 429
 * IMPORT_LIMIT_REACHED; 409 and 401 as work/begin.ts; 503 with Retry-After while another process creates it
 */
export async function beginAgent(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'seed'> & BeginContext,
  content: SnapshotContent,
  files?: FilesSource,
): Promise<Agent> {
  const { table, owner, objects } = ctx
  const agentId = content.agent.id
  requireBeginning(ctx)
  const made = await readAgent(table, { userId: owner, agentId })
  if (made !== undefined) return startAgain(ctx, made)
  const restore = await place(ctx, agentId, { rows: rowsIn(content), files })
  const goOn = () => restoreItems.renew({ table }, restore, { forMs: holdMs })
  const initialFiles = await files?.store(restore, goOn).catch(async (error: unknown) => {
    // The archive is invalid: no attempt can succeed.
    if (error instanceof PlatformError && error.kind === 'bad-request')
      await undo(ctx, { restore, content, goOn })
    throw error
  })
  const whole = { ...content, ...(initialFiles && { initialFiles }) }
  await objects.put(objectOf({ agentId, id: restore.snapshotId }), await encode(whole))
  return createRestoredAgent(ctx, { restore, content: whole, goOn })
}

/** The files of a new agent. */
export interface FilesSource {
  /** Their size, which is reserved in the owner's storage. */
  bytes: number
  /** The agent whose files are copied. */
  source?: string | undefined
  /**
   * Stores the files, or returns how the job stores them, if a request is too short for that.
   * @throws PlatformError 400 for an invalid archive
   */
  store(restore: Restore, goOn: () => Promise<void>): Promise<InitialFiles | undefined>
}

/**
 * Runs the checks that do not need the content, so that a large content is not read in vain.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 without an active subscription
 */
export function requireBeginning(
  ctx: Pick<UserContext, 'actor'> & Pick<BeginContext, 'config'>,
): void {
  const { user } = ctx.actor
  requireEnabled(ctx)
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
}

/** Returns the agent that the first attempt created. That attempt may have died before it requested the start. */
async function startAgain({ queues }: Pick<BeginContext, 'queues'>, agent: Agent): Promise<Agent> {
  if (agent.desired === 'running') await sendStart(queues, agent)
  return agent
}

/**
 * Counts the agent and its rows for its owner.
 * @returns the request of the restore, held by this process
 */
async function place(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'seed'> & BeginContext,
  agentId: string,
  { rows, files }: { rows: number; files: FilesSource | undefined },
): Promise<Restore> {
  const { table, owner: userId, seed } = ctx
  const now = Date.now()
  const at = isoOf(now)
  const snapshotId = newId(snapshotRows.id, seed)
  const heldUntil = now + holdMs
  const adminEmails = ctx.config.ADMIN_EMAILS
  const bytes = files?.bytes ?? 0
  const room = files && (await reserveFor({ table, adminEmails }, { userId, agentId, bytes }))
  // Announces a collection, which removes the packs of a process that dies.
  if (files !== undefined) await expectPacks({ table }, { userId, agentId, collectAt: 0 })
  const restore: Restore = {
    id: newId(restoreRows.id, seed),
    userId,
    agentId,
    snapshotId,
    revives: false,
    begins: true,
    rows,
    ...(room !== undefined && { reserved: room.reserved }),
    ...(files?.source !== undefined && { source: files.source }),
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
    room: room?.write,
  })
  if (refusals === undefined) return restore
  if (refusals.restore === undefined)
    throw refusalError(refusals, {
      count: (row) => countRefused(owner, row, provisionLimitReached),
      rows: (row) => rowsRefused(row, now),
      ...(room !== undefined && { room: room.refused }),
    })
  const claimed = await claimRestore({ table }, requestOf(restore))
  if (claimed !== undefined) return claimed
  throw new PlatformError('unavailable', 'The agent is being created; try again in a moment', {
    headers: { 'Retry-After': '5' },
  })
}
