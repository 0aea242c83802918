import { locate, type ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import { readWhole } from '#shared/agents/agent-gateway/read-whole.ts'
import { requestAgent } from '#shared/agents/agent-gateway/request.ts'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { isRunning } from '#shared/agents/record/running.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { fileRows, type FilesRow } from '../rows.ts'

export type SyncContext = ReachContext & Pick<Context, 'log'>

/** The files that a container must sync. */
export interface Synced {
  agent: Agent
  row: FilesRow | undefined
  /** The names of a file, or of a folder whose direct entries are synced; undefined for all files. */
  names: readonly string[] | undefined
}

/** The time limit of a sync in milliseconds. The container finishes a longer sync. */
const longestMs = 20_000

/** The time limit of a sync after a change: a caller waits, and the container also syncs by itself every minute. */
const afterMs = 5000

/**
 * Makes the container of a running agent commit what the agent wrote at a path, before the caller reads or changes the
 * committed files. If the container cannot be reached, or cannot store its files, the caller continues with the
 * committed files, and the container applies a change at its next sync. A container that starts or stops is not asked,
 * and also applies the change at its next sync.
 * @returns whether the container was asked
 * @throws PlatformError 503 with Retry-After if the sync takes longer than 20 s
 */
export async function syncBefore(
  ctx: SyncContext,
  synced: Synced,
  { timeoutMs = longestMs }: { timeoutMs?: number } = {},
): Promise<boolean> {
  if (!isHeld(synced)) return false
  if ((await sync(ctx, synced, timeoutMs)) === 'late')
    throw new PlatformError(
      'unavailable',
      'The agent is still storing its files; try again in a moment',
      { headers: { 'Retry-After': '5' } },
    )
  return true
}

/** Makes the container that holds the files apply a change that was just committed. */
export async function syncAfter(ctx: SyncContext, synced: Synced): Promise<void> {
  if (isHeld(synced)) await sync(ctx, synced, afterMs)
}

/**
 * Makes the container that holds the files commit all of them. Without an answer in time, the last committed files are
 * the newest that can be read.
 */
export async function syncAll(
  ctx: SyncContext & Pick<Context, 'table'>,
  agent: Agent,
): Promise<void> {
  const row = await fileRows.find(ctx.table, { userId: ownerOf(agent), agentId: agent.id })
  try {
    await syncBefore(ctx, { agent, row, names: undefined })
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'unavailable') throw error
    ctx.log.warn('files were not synced in time', { agentId: agent.id })
  }
}

/** Reports whether the container of a running agent works on the files. */
function isHeld({ agent, row }: Synced): boolean {
  const task = agent.taskStatus === 'STOPPED' ? undefined : agent.taskArn
  return row?.holder === agent.generation && task !== undefined && isRunning(agent)
}

/** @returns `late` without an answer in time, `failed` if the container does not sync */
async function sync(
  ctx: SyncContext,
  { agent, names }: Synced,
  timeoutMs: number,
): Promise<'done' | 'late' | 'failed'> {
  const target = await locate(ctx, agent)
  const timeouts = ctx.timeouts ?? { idleMs: timeoutMs, totalMs: timeoutMs }
  const body = names === undefined ? {} : { path: names.join('/') }
  try {
    const { status, body: answer } = await requestAgent(
      { ...target, method: 'POST', path: '/files/sync', body },
      timeouts,
    )
    await readWhole(answer)
    if (status === 200) return 'done'
    ctx.log.warn('an agent did not sync its files', { agentId: agent.id, status })
    return 'failed'
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'bad-request') throw error
    ctx.log.warn('an agent did not sync its files', { agentId: agent.id, error })
    return error.kind === 'timeout' ? 'late' : 'failed'
  }
}
