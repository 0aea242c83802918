import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { partSchema } from './tree/entry.ts'

/** The index of files whose unused packs must be removed. */
export const filesDue = dueIndex('files', 8)

/**
 * The files of an agent: the current root of their tree (tree/tree.ts). Every commit is conditional on the version. The
 * row is in the index while packs may exist that no root refers to.
 */
export const fileRows = entity({
  name: 'files of an agent',
  pk: 'user#{userId}',
  sk: 'files#{agentId}',
  gsi1: { pk: 'files#{shard}', sk: '{due}#{agentId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      agentId: z.string(),
      /** The number of commits. */
      version: z.number().default(0),
      /** Absent before the first commit, and after the agent’s deletion. */
      root: partSchema().optional(),
      /** The total size of all files, and their number. */
      bytes: z.number().default(0),
      files: z.number().default(0),
      /** Bytes that a collection counts in addition, because far more is stored than the files have. */
      surplus: z.number().optional(),
      /** ISO 8601; absent before the first commit. */
      committedAt: z.string().optional(),
      /** Changes whenever all files are replaced at once, such as by a restore. Absent before the first container. */
      origin: z.string().optional(),
      /** The generation of the container that works on the files. No container of another generation commits. */
      holder: z.number().optional(),
      /** The earliest time of the next collection of unused packs, in epoch milliseconds. */
      collectAt: z.number().optional(),
      /** When a writer last announced that it stores packs, in epoch milliseconds. */
      announcedAt: z.number().optional(),
      /** Packs that were unused at a collection, and its time in epoch milliseconds. */
      unused: z.object({ since: z.number(), packs: z.array(z.string()) }).optional(),
      /** When the agent was deleted, in epoch milliseconds. The row exists until all packs are removed. */
      deletedAt: z.number().optional(),
      /** The process that collects unused packs, and the end of its lease in epoch milliseconds. */
      heldBy: z.string().optional(),
      heldUntil: z.number().optional(),
    }),
})

export type FilesRow = z.output<ReturnType<typeof fileRows.declared.schema>>

/** Returns the bytes of an agent's files that count as use of storage. */
export function countedBytes({ bytes, surplus = 0 }: Pick<FilesRow, 'bytes' | 'surplus'>): number {
  return bytes + surplus
}

/**
 * Returns what must be unchanged when the totals are replaced: a collection corrects the bytes without a new version.
 * @param row undefined if it does not exist
 */
export function versionOf(row: Pick<FilesRow, 'version' | 'bytes'> | undefined) {
  if (row === undefined || row.version === 0) return { version: undefined }
  return { version: row.version, bytes: row.bytes }
}

/** A root that stays readable until its row is removed, such as the files of a restore point. */
export const pinRows = entity({
  name: 'pinned root of files',
  pk: 'user#{userId}',
  sk: 'files-pin#{agentId}#{pinId}',
  schema: () =>
    z.object({
      root: partSchema(),
      bytes: z.number(),
      files: z.number(),
    }),
})

/** The index of uploads by link that are not finished. */
export const uploadsDue = dueIndex('file-uploads', 8)

/** An upload by a signed link. The row exists until the file is committed, or the upload is impossible. */
export const uploadRows = entity({
  name: 'upload of a file',
  pk: 'user#{userId}',
  sk: 'file-upload#{agentId}#{uploadId}',
  gsi1: { pk: 'file-uploads#{shard}', sk: '{due}#{uploadId}' },
  schema: () =>
    z.object({
      /** A ULID. The content is the pack with this id and `.upload`. */
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      path: z.string(),
      size: z.number(),
      /** The bytes that it reserves in the user’s storage; 0 after the link has expired. */
      reserved: z.number(),
      /** The expiry of the link in epoch milliseconds. */
      expiresAt: z.number(),
      /** The process that commits it, and the end of its lease in epoch milliseconds. */
      heldBy: z.string().optional(),
      heldUntil: z.number().optional(),
    }),
})

export type Upload = z.output<ReturnType<typeof uploadRows.declared.schema>>
