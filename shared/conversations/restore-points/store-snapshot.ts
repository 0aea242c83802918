import { encodeTime } from 'ulid'
import { ifPinned, pinFiles, unpinFiles } from '#shared/agents/files/pin.ts'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { deletedAgentMs } from '#shared/agents/record/rows.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import { collect } from './collect.ts'
import { encode } from './content.ts'
import { rowsIn } from './row-quota.ts'
import { objectOf, type Snapshot, type SnapshotKind, snapshotRows, snapshotsDue } from './rows.ts'

/** The lifetime of automatic restore points, in milliseconds. */
export const automaticLifetimeMs = deletedAgentMs

/** The time after which an incomplete restore point of a killed process is removed. */
const unfinishedMs = 3_600_000

export type SnapshotContext = Pick<Context, 'table'> & Can<'objects'> & SyncsFiles

/** A context whose restore points contain what a running agent wrote until now. */
export interface SyncsFiles {
  /** Lets the container of a running agent commit its files. Without it, the last commit counts. */
  syncFiles?: ((agent: Agent) => Promise<void>) | undefined
}

export interface NewSnapshot {
  agent: Agent
  /** The id of the restore point. Repeated requests with the same id create one restore point. */
  id: string
  kind: SnapshotKind
  name?: string | null | undefined
  now?: number
}

/**
 * Creates a restore point of an agent. Its row is written first, so that the object of a killed process is found and
 * removed. It is listed when its object is complete.
 */
export async function storeSnapshot(
  { table, objects, syncFiles }: SnapshotContext,
  { agent, id, kind, name = null, now = Date.now() }: NewSnapshot,
): Promise<Snapshot> {
  const userId = ownerOf(agent)
  const agentId = agent.id
  const key = snapshotRows.key({ userId, agentId, snapshotId: id })
  const before = await table.get(key)
  const there = before && snapshotRows.parse(before)
  if (there?.bytes !== undefined) return there
  const createdAt = isoOf(now)
  const row: Snapshot = { id, userId, agentId, name, kind, createdAt }
  const item = snapshotRows.put(
    { userId, agentId, snapshotId: id },
    row,
    snapshotsDue.at(id, now + unfinishedMs),
  )
  await tryWrite(table.put(item, { if: 'attribute_not_exists(#bytes)' }))
  const pin = { userId, agentId, pinId: id }
  // A killed attempt pinned earlier files, and the other content is from now.
  if (there !== undefined) await unpinFiles({ table }, pin)
  await syncFiles?.(agent)
  const pinned = await pinFiles({ table }, pin)
  const files = pinned === undefined ? null : { bytes: pinned.bytes, files: pinned.files }
  const content = { ...(await collect(table, agent)), files }
  const body = await encode(content)
  await objects.put(objectOf(row), body)
  const bytes = body.length
  const lasting = kind === 'manual' && agent.deleting !== true
  const refusals = await tryCommit(table, {
    snapshot: {
      update: key,
      set: {
        bytes,
        tasks: content.tasks.length,
        rows: rowsIn(content),
        ...(!lasting && snapshotsDue.at(id, now + automaticLifetimeMs)),
      },
      ...(lasting && { remove: ['gsi1pk', 'gsi1sk'] }),
      if: 'attribute_exists(pk)',
    },
    pin: pinned && ifPinned(pin),
  })
  // The upload took too long, and the row was removed as incomplete.
  if (refusals !== undefined)
    throw new PlatformError('unavailable', 'The restore point could not be stored in time')
  return { ...row, bytes }
}

/** Crockford's base 32, the alphabet of ULIDs. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a deterministic ULID for a text, with the given time (epoch milliseconds). */
export async function seedOf(words: string, time: number): Promise<string> {
  const hash = await sha256Hex(words)
  const tail = Array.from(
    { length: 16 },
    (_, i) => digits[parseInt(hash.slice(2 * i, 2 * i + 2), 16) % 32],
  ).join('')
  return encodeTime(time) + tail
}
