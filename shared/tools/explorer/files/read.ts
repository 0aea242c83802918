import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { type Explored, requireRoot } from '../context.ts'
import { readAtMost } from '../read-at-most.ts'
import { asRefusal, openFolder, parsePath, pathRefused } from './path.ts'
import { maxFileBytes } from './schema.ts'

/** O_NONBLOCK, because opening a pipe would otherwise wait for its other end. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads a text file.
 * @throws PlatformError 400 if it is not a text file of at most 1 MB, 404
 */
export async function readText(ctx: Explored, { path: requestedPath }: { path: string }) {
  const { path, folders, name } = parsePath(requestedPath)
  await using folder = await openFolder(await requireRoot(ctx), folders)
  const file = await open(folder.at(name), flags).catch((error: unknown) => {
    throw asRefusal(error)
  })
  try {
    const found = await file.stat()
    if (!found.isFile()) throw pathRefused('is not a regular file')
    const bytes = found.size > maxFileBytes ? undefined : await readAtMost(file, maxFileBytes)
    if (bytes === undefined) throw pathRefused('is larger than 1 MB')
    const content = textOf(bytes)
    return {
      ok: true as const,
      path,
      content,
      size: bytes.length,
      modified: found.mtime.toISOString(),
    }
  } finally {
    await file.close()
  }
}

function textOf(bytes: Buffer): string {
  if (bytes.includes(0)) throw pathRefused('is a binary file')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw pathRefused('is a binary file')
    throw error
  }
}
