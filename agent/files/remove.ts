import { constants } from 'node:fs'
import { chmod, lstat, open, readdir, rmdir, unlink } from 'node:fs/promises'
import { beginsAsDatabase } from './content.ts'
import { codeOf, type Directory, ifThere } from './directory.ts'
import { isExcluded, nameOf } from './names.ts'
import { companions } from './sqlite.ts'
import type { FolderNode, Node } from './tree.ts'

/** Removes an entry with all its content. Links are removed, not followed. */
export async function removeAll(dir: Directory, name: string): Promise<void> {
  const stat = await ifThere(lstat(dir.at(name)))
  if (stat === undefined) return
  if (!stat.isDirectory()) return void (await ifThere(unlink(dir.at(name))))
  const child = await openWritable(dir, name)
  if (child === undefined) return
  {
    await using opened = child
    for (const each of await readdir(opened.self, { encoding: 'buffer' }))
      await removeAll(opened, nameOf(each))
  }
  await ifThere(rmdir(dir.at(name)))
}

/** Removes everything below the root but the marker. */
export async function removeEverything(root: Directory): Promise<void> {
  for (const each of await readdir(root.self, { encoding: 'buffer' })) {
    const name = nameOf(each)
    if (!isExcluded([name])) await removeAll(root, name)
  }
}

/** Removes what the platform removed. What the disk has more stays, and the folders with it. */
export async function removeStored(dir: Directory, name: string, before: Node): Promise<void> {
  const stat = await ifThere(lstat(dir.at(name)))
  if (stat === undefined || stat.isDirectory() !== (before.type === 'folder')) return
  if (before.type !== 'folder') {
    if (before.type === 'file') await removeCompanions(dir, name)
    return void (await ifThere(unlink(dir.at(name))))
  }
  const isLeft = await removeListed(dir, name, before)
  if (!isLeft) await removeAll(dir, name)
}

/** @returns whether the folder has content of its own that a scan would store */
async function removeListed(dir: Directory, name: string, before: FolderNode): Promise<boolean> {
  const child = await openWritable(dir, name)
  if (child === undefined) return false
  await using opened = child
  for (const [each, node] of before.entries) await removeStored(opened, each, node)
  for (const each of await readdir(opened.self, { encoding: 'buffer' })) {
    const left = nameOf(each)
    const stat = await ifThere(lstat(opened.at(left)))
    const isStorable = stat?.isFile() || stat?.isDirectory() || stat?.isSymbolicLink()
    if (isStorable && !isExcluded(['', left])) return true
  }
  return false
}

/** Removes the files that SQLite keeps beside a database, because they belong to its old content. */
export async function removeCompanions(
  dir: Directory,
  name: string,
  except: { has(name: string): boolean } = new Set(),
): Promise<void> {
  const there = []
  for (const end of companions)
    if (!except.has(name + end) && (await ifThere(lstat(dir.at(name + end)))) !== undefined)
      there.push(name + end)
  if (there.length === 0 || !(await beginsAsDatabase(dir, name))) return
  for (const each of there) await ifThere(unlink(dir.at(each)))
}

/** Opens a subfolder whose entries can be changed. @returns undefined if it is not a folder */
export async function openWritable(dir: Directory, name: string): Promise<Directory | undefined> {
  const stat = await ifThere(lstat(dir.at(name)))
  if (!stat?.isDirectory()) return undefined
  const all = constants.S_IRWXU
  // chmod follows a link, so another program must not replace the folder by one: O_NOFOLLOW below then fails.
  if ((stat.mode & all) !== all) await chmodFolder(dir, name, stat.mode | all)
  return ifThere(dir.open(name))
}

async function chmodFolder(dir: Directory, name: string, mode: number): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  try {
    await using handle = await open(dir.at(name), flags)
    await handle.chmod(mode & 0o7777)
  } catch (error) {
    // Without permission to read, a folder cannot be opened, and only its path remains.
    if (codeOf(error) !== 'EACCES') throw error
    await chmod(dir.at(name), mode & 0o7777)
  }
}
