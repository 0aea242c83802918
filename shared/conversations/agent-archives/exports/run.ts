import { userCount } from '#shared/accounts/users/counter.ts'
import { packReader } from '#shared/agents/files/packs.ts'
import { pinFiles, unpinFiles, unpinWrites } from '#shared/agents/files/pin.ts'
import { pinRows } from '#shared/agents/files/rows.ts'
import { workspaceIn } from '#shared/agents/files/walk.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { collect } from '../../restore-points/collect.ts'
import { archivedFiles } from '../archived-files.ts'
import { portable } from '../portable.ts'
import { type AgentExport, exportObject, exportRows, exportsDue } from '../rows.ts'
import { agentFiles } from '../write.ts'
import { packStream } from '../zip/pack.ts'
import { exportItems, exportKey } from './items.ts'
import type { ExportMessage } from './topic.ts'

export type RunsExports = Pick<Context, 'table' | 'log'> &
  Can<'packs' | 'objectStore'> &
  Sends<'agent-exports'>

/** The lifetime of an archive: contract.md 16. */
const storedMs = 3_600_000

/** The number of attempts after which an export has failed. */
const mostAttempts = 5

/** The delay after a failed attempt. */
const retrySeconds = 5

/** The time between two extensions of the lease, in milliseconds. */
const renewEveryMs = 20_000

/** Exports an agent, or removes the archive of an export that has ended. */
export async function runExport(
  ctx: RunsExports,
  message: ExportMessage,
  now = Date.now(),
): Promise<void> {
  const { table, log } = ctx
  const found = await exportRows.find(table, message)
  if (found === undefined || (found.until !== undefined && found.until > now)) return
  const row = await exportItems.claim(ctx, found, { message, now })
  if (row === undefined) return
  try {
    if (row.until !== undefined) return await removeExport(ctx, row)
    await attempt(ctx, row)
  } catch (error) {
    if (error instanceof LeaseLost) {
      log.warn('the lease of an export was lost', { agentId: row.agentId, exportId: row.id })
      return
    }
    log.error('an export failed', { agentId: row.agentId, exportId: row.id, error })
    await exportItems.later(ctx, row, retrySeconds)
  }
}

async function attempt(ctx: RunsExports, row: AgentExport): Promise<void> {
  const { table, packs, objectStore } = ctx
  const { userId, agentId, attempts } = row
  const agent = await readAgent(table, { userId, agentId })
  if (agent === undefined || agent.deleting || attempts >= mostAttempts)
    return finish(ctx, row, { state: 'failed' })
  await exportItems.save(ctx, row, { set: { state: 'running', attempts: attempts + 1 } })
  const files = await agentFiles(portable(await collect(table, agent)))
  // The process of the request may have died before it pinned the files.
  const pin = await pinFiles({ table }, { userId, agentId, pinId: row.id })
  const workspace = await workspaceIn(packReader(packs, agentId).readList, pin?.root)
  if (workspace !== undefined && workspace.bytes > (row.mostBytes ?? Infinity))
    return finish(ctx, row, { state: 'failed' })
  const large = workspace && archivedFiles(packs, agentId, workspace)
  const body = renewing(packStream(files, large), () => exportItems.renew(ctx, row))
  const bytes = await objectStore.put(exportObject(row), body, { contentType: 'application/zip' })
  await finish(ctx, row, { state: 'done', bytes })
}

async function* renewing(
  body: AsyncIterable<Uint8Array>,
  renew: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let renewedAt = Date.now()
  for await (const chunk of body) {
    yield chunk
    if (Date.now() < renewedAt + renewEveryMs) continue
    renewedAt = Date.now()
    await renew()
  }
}

/**
 * Ends an export, and unpins its files in the same transaction. If the files were unpinned first, another attempt would
 * export newer files.
 */
async function finish(
  ctx: RunsExports,
  row: AgentExport,
  set: Pick<AgentExport, 'state' | 'bytes'>,
): Promise<void> {
  const { table } = ctx
  const { userId, agentId, id: pinId } = row
  const pin = await pinRows.find(table, { userId, agentId, pinId })
  const until = Date.now() + storedMs
  await commit(
    table,
    {
      export: {
        update: exportKey(row),
        set: { ...set, until, heldUntil: 0, ...exportsDue.at(row.id, until) },
        remove: ['heldBy'],
        ...exportItems.still(row),
      },
      ...(pin && unpinWrites({ userId, agentId, pinId })),
    },
    { export: () => new LeaseLost(row.id) },
  )
}

async function removeExport(ctx: RunsExports, row: AgentExport): Promise<void> {
  const { userId, agentId, id } = row
  await unpinFiles(ctx, { userId, agentId, pinId: id })
  await ctx.packs.remove(exportObject(row))
  await deleteCounted(userStore(ctx.table, userId), {
    delete: exportRows.key({ userId, agentId, exportId: id }),
    count: userCount(userId, exportRows),
  })
}
