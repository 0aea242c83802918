import { ownerOf } from '#shared/agents/record/agent.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import { fileNotFound, treePath } from '../faults.ts'
import { packReader } from '../packs.ts'
import { namesIn, pathFault } from '../path.ts'
import { fileRows } from '../rows.ts'
import { openTree } from '../tree/tree.ts'
import type { ContainerContext } from './held.ts'
import type { DescribedFile } from './schema.ts'

/** The largest file that is described in bytes, because its whole content is read. */
const longestBytes = 20 * 1024 * 1024

/**
 * Describes a file of a container's own agent as it was last committed. The packs of its content stay for at least an hour
 * after the file changes.
 * @throws PlatformError 400 for an invalid path, 404, 413 for a file above 20 MB
 */
export async function describeFile(
  { table, packs, actor }: ContainerContext & Can<'packs'>,
  { path }: { path: string },
): Promise<DescribedFile> {
  const fault = pathFault(path)
  if (fault !== undefined) throw new PlatformError('bad-request', fault)
  const { agentId } = actor
  const row = await fileRows.find(table, { userId: ownerOf(actor), agentId })
  const reader = packReader(packs, agentId)
  const totals = { bytes: row?.bytes ?? 0, files: row?.files ?? 0 }
  const file = await openTree(reader.readList, row?.root, totals).find(treePath(namesIn(path)))
  if (file === undefined || file === 'folder') throw fileNotFound()
  const { name, size, parts } = file
  if (size > longestBytes)
    throw new PlatformError('payload-too-large', `The file has more than ${longestBytes} bytes`)
  const content = new Uint8Array(await reader.readFile(parts, 0, size))
  return { name, size, sha256: await sha256Hex(content), parts }
}
