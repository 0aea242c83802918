import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, opendir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { descend, openRoot } from '../../files/directory.ts'
import { isTemporary, syncFolder } from '../workspace/files.ts'

/** Without O_NONBLOCK, opening a named pipe waits for its writer. */
const reading = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * An open folder of the workspace. Symbolic links are not followed: another program may have written them, and the
 * gateway can read files that the model must not see, such as its own environment.
 */
export interface Folder extends AsyncDisposable {
  /** Returns the path of an entry, even if a link has replaced this folder in the meantime. */
  at(name: string): string | Buffer
  /** Opens an entry for reading. @throws Error ELOOP for a link */
  open(name: string): Promise<FileHandle>
  /** Returns the files and folders in it, sorted by the bytes of their names; without links and devices. */
  entries(most: number): Promise<{ entries: Dirent[]; all: boolean }>
  /** Makes created and renamed entries durable. */
  sync(): Promise<void>
}

/**
 * Opens a folder below the workspace, which is created if it is missing.
 * @param make true to create the missing folders of the path too
 * @throws Error if a part of the path is missing or is not a folder
 */
export async function openFolder(
  workspace: string,
  names: readonly string[],
  make = false,
): Promise<Folder> {
  await using data = await openRoot(dirname(workspace))
  const top = basename(workspace)
  await (await data.make(top))[Symbol.asyncDispose]()
  const folder = await descend(data, [top, ...names], make)
  return {
    at: (name) => folder.at(name),
    open: (name) => open(folder.at(name), reading),
    entries: (most) => entriesIn(folder.self, most),
    sync: () => syncFolder(folder.self),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function entriesIn(path: string, most: number) {
  const entries: Dirent[] = []
  let all = true
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    if (isTemporary(entry.name) || !(entry.isFile() || entry.isDirectory())) continue
    all = entries.length < most
    if (!all) break
    entries.push(entry)
  }
  entries.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)))
  return { entries, all }
}
