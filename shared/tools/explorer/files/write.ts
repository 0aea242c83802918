import { lstat } from 'node:fs/promises'
import { systemCode } from '#shared/platform/folder/directory.ts'
import { removeAbandoned, replaceFile } from '#shared/platform/folder/replace.ts'
import { type Explored, requireRoot } from '../context.ts'
import { asRefusal, openFolder, parsePath, pathRefused } from './path.ts'

/**
 * Writes a whole file and creates its folders. An existing file keeps its mode.
 * @returns the size in bytes of UTF-8
 * @throws PlatformError 400 if the path cannot be a regular file, 404 below a file
 */
export async function writeText(
  ctx: Explored,
  { path: requestedPath, content }: { path: string; content: string },
) {
  const { path, folders, name } = parsePath(requestedPath)
  const bytes = Buffer.from(content)
  await using folder = await openFolder(await requireRoot(ctx), folders, true)
  const there = await lstat(folder.at(name)).catch(unlessMissing)
  if (there?.isSymbolicLink() === true) throw pathRefused('contains a symbolic link')
  if (there !== undefined && !there.isFile()) throw pathRefused('is not a regular file')
  await removeAbandoned(folder)
  await replaceFile(folder, name, bytes, { mode: there && there.mode & 0o7777 }).catch(
    (error: unknown) => {
      throw asRefusal(error)
    },
  )
  return { ok: true as const, path, size: bytes.length }
}

function unlessMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw asRefusal(error)
}
