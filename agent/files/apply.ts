import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, rename, symlink } from 'node:fs/promises'
import { type Directory, ifThere } from './directory.ts'
import { download } from './download.ts'
import { Folders } from './folders.ts'
import { dateAndMode, temporaryName, type Wanted } from './install.ts'
import { bytesOf, isExcluded, nameOf } from './names.ts'
import { openWritable, removeAll, removeStored } from './remove.ts'
import { statOf } from './stat.ts'
import type { StoredPacks } from './stored.ts'
import {
  defaultModes,
  type FileNode,
  type FolderNode,
  type LinkNode,
  type Node,
  sameContent,
  samePart,
} from './tree.ts'

const sha256 = /^[0-9a-f]{64}$/

/** A folder that gets its mode and date at the end. */
interface Finished {
  /** The names of the folder above it. */
  above: readonly string[]
  name: string
  node: FolderNode
}

/**
 * Writes the difference between two trees to the disk. The platform's change wins over the disk at the same path; other
 * files on the disk stay. `current` gets the state of the files on the disk. A run that was killed can be repeated.
 * @param base the tree that the disk had; undefined if that is unknown: then nothing is removed
 * @returns the number of downloaded files
 */
export async function applyDifference(
  root: Directory,
  packs: StoredPacks,
  { base, current }: { base: FolderNode | undefined; current: FolderNode },
): Promise<number> {
  const wanted: Wanted[] = []
  const finished: Finished[] = []
  await applyFolder({ dir: root, names: [], isNew: false }, base, current)
  await download(root, packs, wanted)
  await using folders = new Folders(root)
  // The folders below a folder first, because each of them changes its date, or it may become read-only.
  for (const { above, name, node } of finished.toReversed())
    await folders.use(above, (dir) => finishFolder(dir, name, node))
  return wanted.length

  async function applyFolder(
    at: { dir: Directory; names: readonly string[]; isNew: boolean },
    base: FolderNode | undefined,
    current: FolderNode,
  ): Promise<void> {
    const { dir, names, isNew } = at
    for (const [name, before] of base?.entries ?? [])
      if (!current.entries.has(name)) await removeStored(dir, name, before)
    for (const [name, node] of current.entries) {
      if (isExcluded([...names, name])) continue
      const before = base?.entries.get(name)
      if (before !== undefined && isSame(before, node)) keepState(before, node)
      else if (node.type === 'folder') await makeFolder(at, name, { before, node })
      else if (node.type === 'link') await makeLink(dir, name, node)
      else {
        const siblings = isNew ? undefined : current.entries
        if (isNew || !(await hasAlready(dir, { name, node, before })))
          wanted.push({ folder: names, name, node, siblings })
      }
    }
  }

  async function makeFolder(
    at: { dir: Directory; names: readonly string[] },
    name: string,
    { before, node }: { before: Node | undefined; node: FolderNode },
  ): Promise<void> {
    const { dir, names } = at
    let child = await openWritable(dir, name)
    const isNew = child === undefined
    if (child === undefined) {
      await removeAll(dir, name)
      await mkdir(dir.at(name), 0o700)
      child = await dir.open(name)
    }
    await using opened = child
    finished.push({ above: names, name, node })
    const known = before?.type === 'folder' ? before : undefined
    await applyFolder({ dir: opened, names: [...names, name], isNew }, known, node)
  }
}

/** Returns whether the disk needs no change for a node that differs only in what the disk has already. */
async function hasAlready(
  dir: Directory,
  { name, node, before }: { name: string; node: FileNode; before: Node | undefined },
): Promise<boolean> {
  const stat = await ifThere(lstat(dir.at(name), { bigint: true }))
  if (stat?.isDirectory()) await removeAll(dir, name)
  if (!stat?.isFile() || Number(stat.size) !== node.size) return false
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  // A file that must not be read is replaced.
  const file = await ifThere(open(dir.at(name), flags)).catch(() => undefined)
  if (file === undefined) return false
  await using handle = file
  if (!(await hasContent(handle, { stat, node, before }))) return false
  await dateAndMode(handle, node)
  node.stat = statOf(await handle.stat({ bigint: true }))
  return true
}

async function hasContent(
  handle: FileHandle,
  { stat, node, before }: { stat: BigIntStats; node: FileNode; before: Node | undefined },
): Promise<boolean> {
  if (before?.type === 'file' && before.stat === statOf(stat)) return sameContent(before, node)
  if (!sha256.test(node.tag)) return false
  const hash = createHash('sha256')
  for await (const bytes of handle.createReadStream({ autoClose: false, start: 0 }))
    hash.update(bytes as Buffer)
  return hash.digest('hex') === node.tag
}

async function makeLink(dir: Directory, name: string, { target }: LinkNode): Promise<void> {
  const now = await ifThere(readlink(dir.at(name), { encoding: 'buffer' })).catch(() => undefined)
  if (now !== undefined && nameOf(now) === target) return
  const stat = await ifThere(lstat(dir.at(name)))
  if (stat?.isDirectory()) await removeAll(dir, name)
  const temporary = temporaryName()
  await symlink(bytesOf(target), dir.at(temporary))
  await rename(dir.at(temporary), dir.at(name))
}

async function finishFolder(dir: Directory, name: string, node: FolderNode): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const folder = await ifThere(open(dir.at(name), flags))
  if (folder === undefined) return
  await using handle = folder
  const seconds = node.mtime / 1000
  await handle.utimes(seconds, seconds)
  await handle.chmod(node.mode ?? defaultModes.folder)
}

function isSame(one: Node, other: Node): boolean {
  if (one.mode !== other.mode) return false
  if (one.type === 'folder')
    return other.type === 'folder' && one.tree !== undefined && samePart(one.tree, other.tree)
  if (one.type === 'link') return other.type === 'link' && one.target === other.target
  return other.type === 'file' && sameContent(one, other) && one.mtime === other.mtime
}

/** Copies the state of the disk from an equal node. Folders share their entries: `readTree`. */
function keepState(from: Node, to: Node): void {
  if (from.type !== 'file' || to.type !== 'file') return
  to.stat = from.stat
  to.pieces = from.pieces
}
