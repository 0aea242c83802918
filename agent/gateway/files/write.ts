import { lstat, open, rename, rm } from 'node:fs/promises'
import { Problem } from '../http/problem.ts'
import { ifExists, temporaryName } from '../workspace/files.ts'
import { namingFaults } from './fault.ts'
import { openFolder } from './folder.ts'
import { namesIn } from './path.ts'

/** The maximum size of a file, in bytes: as of a PUT to the platform's route. */
const maxBytes = 4 * 1024 * 1024

const newMode = 0o644

/**
 * Writes a text file of the workspace and the missing folders above it. A reader, or a crash at any moment, finds the old or
 * the new content. A link in its place is replaced, not followed.
 * @returns the size in bytes
 * @throws Problem if the file cannot be written
 */
export async function writeFile(
  workspace: string,
  { path, content }: { path: string; content: string },
): Promise<{ written: true; size: number }> {
  const names = namesIn(path)
  const bytes = Buffer.from(content)
  if (bytes.length > maxBytes)
    throw new Problem(400, 'too_large', `content must have at most ${maxBytes} bytes`)
  await namingFaults(path, replaceAt(workspace, names, bytes))
  return { written: true, size: bytes.length }
}

async function replaceAt(
  workspace: string,
  names: readonly string[],
  bytes: Buffer,
): Promise<void> {
  await using folder = await openFolder(workspace, names.slice(0, -1), true)
  const place = folder.at(names.at(-1) ?? '')
  const existing = await ifExists(lstat(place))
  const temporary = folder.at(temporaryName())
  try {
    await using file = await open(temporary, 'wx', newMode)
    if (existing?.isFile() === true) await file.chmod(existing.mode & 0o777)
    await file.writeFile(bytes)
    await file.datasync()
    await rename(temporary, place)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await folder.sync()
}
