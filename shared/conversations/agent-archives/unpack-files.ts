import { newFiles } from '#shared/agents/files/new-files.ts'
import { namesIn, pathFault } from '#shared/agents/files/path.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { archiveBounds, fileBounds } from './bounds.ts'
import { isPath, paths } from './paths.ts'
import { ObjectReader } from './zip/object-reader.ts'
import { type PackedFile, unpack } from './zip/unpack.ts'

/**
 * Stores the files of an archive for a new agent.
 * @param goOn called between files
 * @returns the root and its totals; undefined without files
 * @throws PlatformError 400 for an invalid archive
 */
export async function unpackFiles(
  packs: PartialObjects,
  { agentId, files }: { agentId: string; files: readonly PackedFile[] },
  goOn: () => Promise<void>,
) {
  const stored = newFiles(packs, agentId)
  for (const { path, isFolder, size, mode, mtime, read } of files) {
    const fault = pathFault(path)
    if (fault !== undefined) throw wrong(path, fault)
    const names = namesIn(path)
    await goOn()
    const isAdded = isFolder
      ? await stored.addFolder(names)
      : await stored.add({ names, size, mode, mtime, content: read() })
    if (!isAdded) throw wrong(path, 'a file and a folder have the same path')
  }
  return stored.finish()
}

/** Stores the files of an archive that is an object. @throws as unpackFiles */
export async function unpackStored(
  packs: PartialObjects,
  { key, agentId }: { key: string; agentId: string },
  goOn: () => Promise<void>,
) {
  const { large } = await openStored(packs, key)
  return unpackFiles(packs, { agentId, files: large }, goOn)
}

/** Opens an archive that is an object. @throws PlatformError 400 for an invalid archive */
export async function openStored(packs: PartialObjects, key: string) {
  const size = await packs.sizeOf(key)
  if (size === undefined) throw new PlatformError('bad-request', 'The archive does not exist')
  const { unpackedBytes, entries } = archiveBounds
  return unpack(
    { reader: new ObjectReader(packs, key), size },
    { bytes: unpackedBytes, entries, takes: isPath, large: { ...fileBounds, folder: paths.files } },
  )
}

function wrong(path: string, why: string): PlatformError {
  const shown = JSON.stringify(path.slice(0, 100))
  return new PlatformError('bad-request', `The body is not a ZIP of an agent: ${shown}: ${why}`)
}
