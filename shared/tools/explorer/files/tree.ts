import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type Directory,
  descend,
  PathError,
  systemCode,
} from '#shared/platform/folder/directory.ts'
import { nameOf } from '#shared/platform/folder/names.ts'
import { isUnfinished } from '#shared/platform/folder/replace.ts'
import { type Explored, requireRoot } from '../context.ts'
import { shownPath } from '../quote-path.ts'
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
  let level: Found[] = [{ path: '', node: root }]
  for (let below = 0; below < depth && level.length > 0; below++) {
    const next: Found[] = []
    for (const folder of level) {
      const listed = await list(path, folder.path, maxBytes - bytes)
      if (listed === undefined) continue
      bytes += listed.bytes
      folder.node.children = listed.children.map(({ node }) => node)
      if (listed.cut) folder.node.truncated = true
      next.push(...listed.children.filter(({ node }) => node.type === 'folder'))
    }
    level = next
  }
  return { ok: true as const, root }
}

interface Found {
  /** In the form of `nameOf`. */
  path: string
  node: TreeNode
}

/**
 * Lists the entries of a folder that fit into the response. Returns undefined if the folder was deleted in the meantime
 * or cannot be read.
 */
async function list(root: string, path: string, room: number) {
  const folder = await descend(root, path === '' ? [] : path.split('/')).catch(unlessGone)
  if (folder === undefined) return undefined
  await using opened = folder
  return await entriesOf(opened, path, room)
}

async function entriesOf(folder: Directory, parent: string, room: number) {
  const children: Found[] = []
  let bytes = 0
  let cut = false
  // Latin-1 preserves each byte of a name.
  for await (const entry of await opendir(folder.self, { bufferSize: 512, encoding: 'latin1' })) {
    const name = nameOf(Buffer.from(entry.name, 'latin1'))
    const type = typeOf(entry, name)
    if (type === undefined) continue
    const path = parent === '' ? name : `${parent}/${name}`
    const child: TreeNode = { name: shownPath(name), path: shownPath(path), type }
    if (type === 'folder') child.children = []
    // The size includes the separator between nodes.
    const size = Buffer.byteLength(JSON.stringify(child)) + 1
    cut = bytes + size > room
    if (cut) break
    bytes += size
    children.push({ path, node: child })
  }
  return { children: children.sort(inOrder), bytes, cut }
}

/** Returns undefined for links and special files, which are not listed. */
function typeOf(entry: Dirent, name: string): TreeNode['type'] | undefined {
  if (excluded.has(name) || isUnfinished(name)) return undefined
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : undefined
}

function inOrder({ node: one }: Found, { node: other }: Found): number {
  if (one.type !== other.type) return one.type === 'folder' ? -1 : 1
  return alphabet.compare(one.name, other.name) || (one.name < other.name ? -1 : 1)
}

function unlessGone(error: unknown): undefined {
  const gone = error instanceof PathError || ['EACCES', 'EPERM'].includes(systemCode(error) ?? '')
  if (!gone) throw error
}
