import { DamagedFiles, packReader } from '#shared/agents/files/packs.ts'
import { pathFault } from '#shared/agents/files/path.ts'
import { fileStreams } from '#shared/agents/files/stream.ts'
import type { FolderEntry } from '#shared/agents/files/tree/entry.ts'
import { walkFiles } from '#shared/agents/files/walk.ts'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { paths } from './paths.ts'
import type { LargeFile } from './zip/pack.ts'

/**
 * Yields the files of a workspace for an archive. Names that are no UTF-8 and names with a backslash, which a ZIP uses
 * to separate folders, are left out.
 * @throws DamagedFiles if the files are larger than the folder claims: the caller relies on that size
 */
export async function* archivedFiles(
  packs: PartialObjects,
  agentId: string,
  workspace: FolderEntry,
): AsyncGenerator<LargeFile> {
  const { readList } = packReader(packs, agentId)
  const stream = fileStreams(packs, agentId)
  let left = workspace.bytes
  for await (const walked of walkFiles(readList, workspace.tree)) {
    const { names, entry } = walked
    const relative = names.join('/')
    if (pathFault(relative) !== undefined || relative.includes('\\')) continue
    const common = { path: paths.files + relative, mode: entry.mode, mtime: entry.mtime }
    if (entry.type === 'file') {
      const { size, parts } = entry
      left -= size
      if (left < 0) throw new DamagedFiles('the files are larger than their folder')
      yield { ...common, content: { size, read: () => stream(parts) } }
    } else if ('isEmpty' in walked && walked.isEmpty) yield common
  }
}
