import { constants, type Dirent } from 'node:fs'
import { type FileHandle, mkdir, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { isTemporary } from '../workspace/files.ts'

/** Without O_NONBLOCK, opening a named pipe waits for its writer. */
const reading = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * An open folder of the workspace. Symbolic links are not followed: another program may have written them, and the
 * gateway can read files that the model must not see, such as its own environment.
 */
export interface Folder extends AsyncDisposable {
  /**
   * Returns the path of an entry. It leads to the opened folder, also if a link has replaced that folder in the
   * meantime. Only Linux has such paths, so this protection is missing on other systems.
   */
  at(name: string): string
  /** Opens an entry for reading. @throws Error ELOOP for a link */
  open(name: string): Promise<FileHandle>
  /** Returns the files and folders in it, sorted by the bytes of their names; without links and devices. */
  entries(most: number): Promise<{ entries: Dirent[]; all: boolean }>
  /** Makes created and renamed entries durable. */
  sync(): Promise<void>
}

/** Opens a folder below the workspace, which is created if it is missing. @throws Error if a part of the path is missing, or no folder */
export function openFolder(workspace: string, names: readonly string[]): Promise<Folder> {
  return descend(workspace, names, async () => {})
}

/** Opens a folder and creates the missing folders of its path. @throws Error if a part of the path is no folder */
export function makeFolder(workspace: string, names: readonly string[]): Promise<Folder> {
  return descend(workspace, names, (path) =>
    mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    }),
  )
}

async function descend(
  workspace: string,
  names: readonly string[],
  prepare: (path: string) => Promise<void>,
): Promise<Folder> {
  await mkdir(workspace, { recursive: true })
  let path = workspace
  let folder = await opened(path, path)
  for (const name of names) {
    await using above = folder
    await prepare(above.at(name))
    path = join(path, name)
    folder = await opened(above.at(name), path)
  }
  return folder
}

async function opened(from: string, path: string): Promise<Folder> {
  const handle = await open(from, reading | constants.O_DIRECTORY)
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path
  const at = (name: string) => `${base}/${name}`
  return {
    at,
    open: (name) => open(at(name), reading),
    entries: (most) => entriesIn(at('.'), most),
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
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
