import { constants } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { codeOf, type Directory } from './directory.ts'
import { temporaryName } from './install.ts'
import { markerName } from './names.ts'
import { removeAll } from './remove.ts'
import { type FolderNode, folderOf, listOf, newFolder, type Node } from './tree.ts'
import { markerFolderSchema, markerSchema, type Part } from './wire.ts'

/** The files that were last both on the disk and at the platform. */
export interface Marker {
  origin: string
  /** The version of `tree` at the platform, or the version that its commit creates. */
  version: number
  /** False if the marker was stored before the commit of `tree`, and this process may have been killed before it. */
  committed: boolean
  /** The stored list of `tree`; undefined if it is empty. */
  root: Part | undefined
  tree: FolderNode
}

/** The size of the text that is written at once. */
const writeBytes = 256 * 1024

/** The beginning of the marker. The next byte is 0 or 1. */
const start = '{"form":1,"committed":'

/**
 * Stores the marker: one line of JSON for the whole, then one for each folder, so that neither a write nor a read
 * blocks the event loop for long.
 */
export async function writeMarker(root: Directory, marker: Marker): Promise<void> {
  const { origin, version, tree } = marker
  const committed = Number(marker.committed)
  const temporary = temporaryName()
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  {
    await using file = await open(root.at(temporary), flags, 0o600)
    const { bytes, files } = tree
    const head = { form: 1, committed, origin, version, root: marker.root ?? null, bytes, files }
    let text = lineOf(head)
    for (const [path, folder] of foldersOf(tree)) {
      text += lineOf({ path, entries: entriesOf(folder) })
      if (text.length < writeBytes) continue
      await file.write(text)
      text = ''
    }
    await file.write(text)
  }
  try {
    await rename(root.at(temporary), root.at(markerName))
  } catch (error) {
    if (codeOf(error) !== 'EISDIR') throw error
    await removeAll(root, markerName)
    await rename(root.at(temporary), root.at(markerName))
  }
}

/** Records that the commit of the stored marker succeeded. */
export async function markCommitted(root: Directory): Promise<void> {
  await using file = await open(root.at(markerName), constants.O_WRONLY | constants.O_NOFOLLOW)
  await file.write('1', start.length)
}

/** Reads the marker. @returns undefined if it is missing, incomplete or invalid */
export async function readMarker(dir: Directory): Promise<Marker | undefined> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    await using file = await open(dir.at(markerName), flags)
    if (!(await file.stat()).isFile()) return undefined
    const input = file.createReadStream({ autoClose: false })
    const lines = createInterface({ input, crlfDelay: Infinity })
    let head: ReturnType<typeof markerSchema.parse> | undefined
    const folders = new Map<string, Listed>()
    for await (const line of lines) {
      if (head === undefined) head = markerSchema.parse(JSON.parse(line))
      else {
        const { path, entries } = markerFolderSchema.parse(JSON.parse(line))
        folders.set(path, entries)
      }
    }
    if (head === undefined) return undefined
    const { origin, version, committed, bytes, files } = head
    const tree = buildFolder(folders, '', { mode: undefined, mtime: 0 })
    // A marker that was cut has fewer folders.
    if (tree.bytes !== bytes || tree.files !== files) return undefined
    const root = head.root ?? undefined
    return { origin, version, committed: committed === 1, root, tree: { ...tree, tree: root } }
  } catch {
    return undefined
  }
}

/** Returns a line. The reader also ends lines at U+2028 and U+2029, which JSON does not escape. */
function lineOf(value: object): string {
  const text = JSON.stringify(value)
  return `${text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

type Listed = ReturnType<typeof markerFolderSchema.parse>['entries']

function* foldersOf(tree: FolderNode, path = ''): Generator<[string, FolderNode]> {
  yield [path, tree]
  for (const [name, node] of tree.entries)
    if (node.type === 'folder') yield* foldersOf(node, path === '' ? name : `${path}/${name}`)
}

function entriesOf(folder: FolderNode) {
  return listOf(folder).map((entry) => {
    const node = folder.entries.get(entry.name)
    if (node?.type !== 'file') return entry
    return Object.assign(entry, { stat: node.stat, pieces: node.pieces })
  })
}

/** @throws Error if a folder is missing */
function buildFolder(
  folders: ReadonlyMap<string, Listed>,
  path: string,
  fields: Pick<FolderNode, 'mode' | 'mtime'>,
): FolderNode {
  const listed = folders.get(path)
  if (listed === undefined) {
    if (path === '') return newFolder()
    throw new Error('a folder is missing')
  }
  const entries = listed.map((entry): [string, Node] => {
    const { name, mode, mtime } = entry
    if (entry.type === 'link') return [name, { type: 'link', mode, mtime, target: entry.target }]
    if (entry.type === 'file') {
      const { size, tag, parts, stat, pieces } = entry
      return [name, { type: 'file', mode, mtime, size, tag, parts, stat, pieces }]
    }
    const below = buildFolder(folders, path === '' ? name : `${path}/${name}`, { mode, mtime })
    return [name, { ...below, tree: entry.tree }]
  })
  return folderOf(fields, new Map(entries))
}
