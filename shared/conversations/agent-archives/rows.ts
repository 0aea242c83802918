import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of exports that are not done, or whose archive must be removed. */
export const exportsDue = dueIndex('agent-exports', 8)

/** An export of an agent that is too large for a response. The row exists until the archive is removed. */
export const exportRows = entity({
  name: 'export of an agent',
  id: 'exp',
  count: 'exportCount',
  pk: 'user#{userId}',
  sk: 'export#{agentId}#{exportId}',
  gsi1: { pk: 'agent-exports#{shard}', sk: '{due}#{exportId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      state: z.enum(['queued', 'running', 'done', 'failed']),
      /** The name under which a browser saves the archive. */
      fileName: z.string(),
      /** The export fails if the files of the workspace are larger. */
      mostBytes: z.number().optional(),
      /** The size of the archive; absent until it is done. */
      bytes: z.number().optional(),
      /** The number of attempts. */
      attempts: z.number().default(0),
      /** When the archive and the row are removed, in epoch milliseconds. Absent until the export has ended. */
      until: z.number().optional(),
      /** The process that exports it, and the end of its lease in epoch milliseconds. */
      heldBy: z.string().optional(),
      heldUntil: z.number().optional(),
    }),
})

export type AgentExport = z.output<ReturnType<typeof exportRows.declared.schema>>

/** The key of an export's object. */
export function exportObject({ agentId, id }: Pick<AgentExport, 'agentId' | 'id'>): string {
  return `files/exports/${agentId}/${id}.zip`
}

/** The index of archives to import that must be removed. */
export const importsDue = dueIndex('agent-imports', 8)

/** An archive that a user uploads by a link, to import it. The row exists until the object is removed. */
export const importRows = entity({
  name: 'import of an agent',
  id: 'imp',
  count: 'importCount',
  pk: 'user#{userId}',
  sk: 'import#{importId}',
  gsi1: { pk: 'agent-imports#{shard}', sk: '{due}#{importId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      /** In bytes. */
      size: z.number(),
      /** The agent that was created from it. */
      agentId: z.string().optional(),
    }),
})

export type AgentImport = z.output<ReturnType<typeof importRows.declared.schema>>

/** The key of the object that the link stores. */
export function importObject({ userId, id }: Pick<AgentImport, 'userId' | 'id'>): string {
  return `files/imports/${userId}/${id}.zip`
}
