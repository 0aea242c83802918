import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { type Directory, ifThere } from './directory.ts'
import { removeCompanions } from './remove.ts'
import { statOf } from './stat.ts'
import { defaultModes, type FileNode } from './tree.ts'

const creating = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const writing = constants.O_WRONLY | constants.O_NOFOLLOW

/** A file that a restore writes. */
export interface Wanted {
  /** The names of its folder. */
  folder: readonly string[]
  name: string
  node: FileNode
  /** The names in its folder that the platform stores; undefined if the file replaces no other. */
  siblings: { has(name: string): boolean } | undefined
}

/** Returns a new temporary name: `isTemporary`. */
export function temporaryName(): string {
  return `.files-${randomBytes(8).toString('hex')}`
}

/** Writes a file whose content is in memory: under a temporary name first, which replaces the file in one step. */
export async function installWhole(dir: Directory, file: Wanted, content: Buffer): Promise<void> {
  const temporary = temporaryName()
  try {
    await using handle = await open(dir.at(temporary), creating, 0o600)
    if (content.length > 0) await writeAt(handle, content, 0)
    await finish(dir, file, { handle, temporary })
  } catch (error) {
    await ifThere(unlink(dir.at(temporary)))
    throw error
  }
}

/** A large file that is written in parts. */
export class PartialFile {
  readonly #file: Wanted
  readonly #temporary = temporaryName()
  #left: number
  #created: Promise<void> | undefined

  constructor(file: Wanted) {
    this.#file = file
    this.#left = file.node.size
  }

  /** Writes a part. The last one replaces the file. */
  async write(dir: Directory, bytes: Buffer, at: number): Promise<void> {
    this.#created ??= create(dir, this.#temporary)
    await this.#created
    await using handle = await open(dir.at(this.#temporary), writing)
    await writeAt(handle, bytes, at)
    this.#left -= bytes.length
    if (this.#left === 0) await finish(dir, this.#file, { handle, temporary: this.#temporary })
  }
}

async function create(dir: Directory, name: string): Promise<void> {
  await (await open(dir.at(name), creating, 0o600)).close()
}

async function writeAt(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(
      bytes,
      written,
      bytes.length - written,
      at + written,
    )
    written += bytesWritten
  }
}

/** Gives a written file its mode, date and name. */
async function finish(
  dir: Directory,
  { name, node, siblings }: Wanted,
  { handle, temporary }: { handle: FileHandle; temporary: string },
): Promise<void> {
  await dateAndMode(handle, node)
  const written = await handle.stat({ bigint: true })
  if (siblings !== undefined) await removeCompanions(dir, name, siblings)
  await rename(dir.at(temporary), dir.at(name))
  // The rename changed ctime. If the program has already changed the file, the next scan must read it.
  const renamed = await ifThere(lstat(dir.at(name), { bigint: true }))
  const isSame =
    renamed?.ino === written.ino &&
    renamed.mtimeNs === written.mtimeNs &&
    renamed.size === written.size
  node.stat = isSame ? statOf(renamed) : undefined
}

/** Gives an open file the mode and the date of a node. */
export async function dateAndMode(handle: FileHandle, node: FileNode): Promise<void> {
  await handle.chmod(node.mode ?? defaultModes.file)
  const seconds = node.mtime / 1000
  await handle.utimes(seconds, seconds)
}
