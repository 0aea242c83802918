import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type Directory,
  descend,
  PathError,
  systemCode,
} from '#shared/platform/folder/directory.ts'
import { isUnfinished } from '#shared/platform/folder/replace.ts'
import { type Explored, requireRoot } from '../context.ts'
import type { TreeNode } from './schema.ts'

/** spec.md, File explorer. */
const excluded = new Set([
  'node_modules',
  '.git',
  '.next',
  'dist',
  'build',
  '.cache',
  '__pycache__',
])

/**
 * The maximum number of bytes of the response's JSON. A function may respond with 6 MB, and the rest of the response is
 * small.
 */
const maxBytes = 4_000_000

/** A fixed locale, so that the order is the same everywhere. */
const alphabet = new Intl.Collator('en')

/**
 * Lists files and folders below the root, level by level, so that the deepest entries are cut first.
 * @param depth levels below the root; folders of the last level have empty `children`
 */
export async function showTree(ctx: Explored, { depth }: { depth: number }) {
  const path = await requireRoot(ctx)
  const root: TreeNode = { name: basename(path), path: '', type: 'folder', children: [] }
  let bytes = 0
  let level = [root]
  for (let below = 0; below < depth && level.length > 0; below++) {
    const next: TreeNode[] = []
    for (const node of level) {
      const listed = await list(path, node, maxBytes - bytes)
      if (listed === undefined) continue
      bytes += listed.bytes
      node.children = listed.children
      if (listed.cut) node.truncated = true
      next.push(...listed.children.filter(({ type }) => type === 'folder'))
    }
    level = next
  }
  return { ok: true as const, root }
}

/**
 * Lists a folder, as far as the response has room. Returns undefined if the folder was deleted in the meantime or
 * cannot be read.
 */
async function list(root: string, { path }: TreeNode, room: number) {
  const folder = await descend(root, path === '' ? [] : path.split('/')).catch(unlessGone)
  if (folder === undefined) return undefined
  await using opened = folder
  return await entriesOf(opened, path, room)
}

async function entriesOf(folder: Directory, parent: string, room: number) {
  const children: TreeNode[] = []
  let bytes = 0
  let cut = false
  for await (const entry of await opendir(folder.self, { bufferSize: 512 })) {
    const type = typeOf(entry)
    if (type === undefined) continue
    const { name } = entry
    const child: TreeNode = { name, path: parent === '' ? name : `${parent}/${name}`, type }
    if (type === 'folder') child.children = []
    // Includes the separator between nodes.
    const size = Buffer.byteLength(JSON.stringify(child)) + 1
    cut = bytes + size > room
    if (cut) break
    bytes += size
    children.push(child)
  }
  return { children: children.sort(inOrder), bytes, cut }
}

/** Returns undefined for links and special files, which are not listed. */
function typeOf(entry: Dirent): TreeNode['type'] | undefined {
  if (excluded.has(entry.name) || isUnfinished(entry.name)) return undefined
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : undefined
}

function inOrder(one: TreeNode, other: TreeNode): number {
  if (one.type !== other.type) return one.type === 'folder' ? -1 : 1
  return alphabet.compare(one.name, other.name) || (one.name < other.name ? -1 : 1)
}

function unlessGone(error: unknown): undefined {
  const gone = error instanceof PathError || ['EACCES', 'EPERM'].includes(systemCode(error) ?? '')
  if (!gone) throw error
}
