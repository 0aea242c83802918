import { userCounter } from '#shared/accounts/users/counter.ts'
import { pinFiles } from '#shared/agents/files/pin.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { limitReached, notFound } from '#shared/platform/errors.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type AgentExport, exportObject, exportRows, exportsDue } from '../rows.ts'
import { exportKey } from './items.ts'
import { agentExports } from './topic.ts'

/** The maximum number of a user’s exports that are stored. They do not count as storage. */
const mostExports = 20

/** The time after which a message counts as lost, in milliseconds. */
const lostMs = 60_000

/**
 * Requests the export of an agent's current files. The row is written first, so that the pin is removed with it.
 * @param mostBytes the export fails if the files of the workspace are larger
 * @throws PlatformError 409 ARCHIVE_LIMIT_REACHED
 */
export async function requestExport(
  ctx: Pick<UserContext, 'table' | 'owner' | 'seed'> & Sends<'agent-exports'>,
  agent: Agent,
  mostBytes: number,
): Promise<AgentExport> {
  const { table, owner: userId, queues } = ctx
  const { id: agentId } = agent
  const row: AgentExport = {
    id: newId(exportRows.id, ctx.seed),
    userId,
    agentId,
    state: 'queued',
    fileName: `${agent.subdomain}.zip`,
    mostBytes,
    attempts: 0,
  }
  const key = { userId, agentId, exportId: row.id }
  await insertCounted(userStore(table, userId), {
    put: exportRows.put(key, row, exportsDue.at(row.id, Date.now() + lostMs)),
    count: userCounter(userId, exportRows, mostExports),
    limitReached: () =>
      limitReached(
        'ARCHIVE_LIMIT_REACHED',
        `${mostExports} exports are stored already; each is removed an hour after it is done`,
        { current: mostExports, limit: mostExports },
      ),
  })
  await pinFiles({ table }, { userId, agentId, pinId: row.id })
  await queues.send(agentExports, key)
  return row
}

export interface ExportView {
  state: AgentExport['state']
  url: string | null
  expiresAt: string | null
  bytes: number | null
}

/** Returns an export of a caller's agent. @throws PlatformError 404 */
export async function getExport(
  { table, owner: userId, links }: Pick<UserContext, 'table' | 'owner'> & Can<'links'>,
  { agentId, exportId }: { agentId: string; exportId: string },
  now = Date.now(),
): Promise<ExportView> {
  const [row] = await Promise.all([
    exportRows.find(table, { userId, agentId, exportId }),
    requireAgent({ table }, { agentId, owner: userId }),
  ])
  if (row === undefined || (row.until !== undefined && row.until <= now)) throw notFound('Export')
  const { state, bytes = null, until } = row
  if (state !== 'done' || until === undefined)
    return { state, url: null, expiresAt: null, bytes: null }
  const url = await links.to(exportObject(row), {
    seconds: Math.max(1, Math.floor((until - now) / 1000)),
    fileName: row.fileName,
    contentType: 'application/zip',
  })
  return { state, url, expiresAt: isoOf(until), bytes }
}

/** Ends all exports of a deleted account now. Their archives are removed by the next tick. */
export async function expireExports(
  { table }: Pick<UserContext, 'table'>,
  { userId }: { userId: string },
  now = Date.now(),
): Promise<void> {
  const beginsWith = exportRows.prefix()
  const items = await allItems((from) => userStore(table, userId).query({ beginsWith, ...from }))
  for (const row of items.map(exportRows.parse))
    await table.update(exportKey(row), {
      set: { until: now, state: 'failed', heldUntil: 0, ...exportsDue.at(row.id, now) },
      remove: ['heldBy'],
      if: 'attribute_exists(pk)',
    })
}
