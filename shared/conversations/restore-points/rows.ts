import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of restore points that expire. */
export const snapshotsDue = dueIndex('snapshots', 8)

/** The index of unfinished restores. */
export const restoresDue = dueIndex('restores', 8)

/**
 * The reason for a restore point: by its owner, daily, or before a major change. A `begin` point contains the initial
 * content of a new agent; it is never listed, and is removed when the agent exists.
 */
export const snapshotKinds = ['manual', 'daily', 'delete', 'update', 'restore', 'begin'] as const

export type SnapshotKind = (typeof snapshotKinds)[number]

/** A restore point of an agent. Its content is an object. The index orders restore points by their expiry. */
export const snapshotRows = entity({
  name: 'restore point',
  id: 'snp',
  pk: 'user#{userId}',
  sk: 'snapshot#{agentId}#{snapshotId}',
  gsi1: { pk: 'snapshots#{shard}', sk: '{due}#{snapshotId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      name: z.string().nullable(),
      kind: z.enum(snapshotKinds),
      /** ISO 8601. */
      createdAt: z.string(),
      /** The size of its object; absent until the object is complete. */
      bytes: z.number().optional(),
      /** The number of scheduled tasks; absent until the object is complete. */
      tasks: z.number().optional(),
      /** The number of rows that a restore of it writes; absent if an earlier release made it. */
      rows: z.number().optional(),
    }),
})

export type Snapshot = z.output<ReturnType<typeof snapshotRows.declared.schema>>

/** Returns the key of a restore point's object. */
export function objectOf({ agentId, id }: Pick<Snapshot, 'agentId' | 'id'>): string {
  return `snapshots/${agentId}/${id}.json.gz`
}

/** A requested restore of an agent. The row exists until it is done. */
export const restoreRows = entity({
  name: 'restore',
  id: 'rst',
  pk: 'user#{userId}',
  sk: 'restore#{agentId}',
  gsi1: { pk: 'restores#{shard}', sk: '{due}#{agentId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      snapshotId: z.string(),
      /** Set to true to restore a deleted agent, which is already counted for its owner. */
      revives: z.boolean(),
      /** Set to create a new agent, which is already counted for its owner. */
      begins: z.literal(true).optional(),
      /** The agent whose files a new agent gets. They are pinned with the id of the restore point. */
      source: z.string().optional(),
      /** Set when a new agent exists, but its files are not complete. */
      made: z.literal(true).optional(),
      /** Set if the caller may raise the agent's spend cap. Otherwise the lower cap stays. */
      mayRaiseCap: z.literal(true).optional(),
      /** The number of rows that were counted for it; absent before the count. */
      rows: z.number().optional(),
      /** The storage that is reserved for its files, in bytes. Absent before the reservation, and after its use. */
      reserved: z.number().optional(),
      /** Set when the restore has stopped the agent, which it starts again. */
      resumes: z.literal(true).optional(),
      /** Set when the files are replaced. */
      hasFiles: z.literal(true).optional(),
      /** The generation of the agent when all its data were replaced. Only the start is missing then. */
      filled: z.number().optional(),
      /** ISO 8601. */
      requestedAt: z.string(),
      /** The process that holds the lease of the restore, and the end of the lease in epoch milliseconds. */
      heldBy: z.string().optional(),
      heldUntil: z.number().optional(),
    }),
})

export type Restore = z.output<ReturnType<typeof restoreRows.declared.schema>>

/** The number of rows that imports, duplicates and restores have written for a user on a day (UTC). */
export const restoredRows = entity({
  name: 'count of restored rows',
  pk: 'user#{userId}',
  sk: 'restored-rows#{date}',
  schema: () => z.object({ rows: z.number() }),
})
