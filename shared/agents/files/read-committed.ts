import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { fileNotFound, treePath } from './faults.ts'
import { packReader } from './packs.ts'
import { namesIn, pathFault } from './path.ts'
import { fileRows } from './rows.ts'
import type { Part } from './tree/entry.ts'
import { openTree } from './tree/tree.ts'

type ReadsPacks = Pick<Context, 'table'> & Can<'packs'>

interface Wanted {
  userId: string
  agentId: string
  path: string
  /** In bytes. */
  most: number
}

export interface CommittedFile {
  name: string
  /** The parts of packs with its content. They stay for at least an hour after the file changes. */
  parts: readonly Part[]
  content: Uint8Array<ArrayBuffer>
}

/**
 * Reads a file of an agent as it was last committed, without its container.
 * @throws PlatformError 400 for an invalid path, 404, 413 for a larger file
 */
export async function readCommitted(
  { table, packs }: ReadsPacks,
  { userId, agentId, path, most }: Wanted,
): Promise<CommittedFile> {
  const fault = pathFault(path)
  if (fault !== undefined) throw new PlatformError('bad-request', fault)
  const row = await fileRows.find(table, { userId, agentId })
  const reader = packReader(packs, agentId)
  const totals = { bytes: row?.bytes ?? 0, files: row?.files ?? 0 }
  const file = await openTree(reader.readList, row?.root, totals).find(treePath(namesIn(path)))
  if (file === undefined || file === 'folder') throw fileNotFound()
  const { name, size, parts } = file
  if (size > most)
    throw new PlatformError('payload-too-large', `The file has more than ${most} bytes`)
  return { name, parts, content: new Uint8Array(await reader.readFile(parts, 0, size)) }
}
