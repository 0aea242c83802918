import type { BigIntStats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import {
  type Directory,
  openRoot,
  PathError,
  systemCode,
} from '#shared/platform/folder/directory.ts'
import { bytesOf, nameOf } from '#shared/platform/folder/names.ts'
import { isUnfinished } from '#shared/platform/folder/replace.ts'
import { shownPath } from '../quote-path.ts'
import { Converter, Unconverted } from './convert.ts'
import { isIgnored, type IgnoreRules, repositoryRules, rulesIn } from './ignore.ts'
import type { IndexEntry } from './index-file.ts'
import type { StatData } from './index-file.ts'
import { nestedHead } from './nested.ts'
import { configOf, type Repository, trustedModes } from './repository.ts'
import {
  blobId,
  hashWork,
  isUntouched,
  LargeFile,
  statusOf,
  modeOf,
  modes,
  readWork,
  statDataOf,
  type TrustedModes,
} from './work-file.ts'

/** A file of the working tree that differs from the index. */
export interface WorkFile {
  mode: number
  /** The commit of a submodule; absent for a file, whose content is read when it is shown or staged. */
  oid?: string
  stat: StatData
}

export interface WorkTree {
  /** Files that differ from the index; undefined for deleted ones. */
  changed: Map<string, WorkFile | undefined>
  /** Files that are neither in the index nor ignored. A nested repository has a trailing slash. */
  untracked: string[]
  /** Tracked files with the index's content but another time. */
  refreshed: Map<string, StatData>
  /** Tracked paths that cannot be compared, with the reason. They are not deleted. */
  unclear: Map<string, string>
}

/** The settings for all files of a work tree. */
export interface WorkTreeSettings {
  root: string
  modes: TrustedModes
  converter: Converter
  /** `core.ignoreCase`: names that differ by case alone are one file. */
  ignoresCase: boolean
}

export async function workTreeSettings(
  repository: Repository,
  root: string,
): Promise<WorkTreeSettings> {
  return {
    root,
    modes: await trustedModes(repository),
    converter: await Converter.open(repository, root),
    ignoresCase: (await configOf(repository, 'core.ignorecase')) === 'true',
  }
}

export interface WorkTreeQuery extends WorkTreeSettings {
  /** The index with one entry for each path, also in conflicts. */
  entries: readonly IndexEntry[]
  indexMtimeNs: bigint
  /** If true, the scan also finds files that are not in the index. */
  untracked: boolean
}

/** The largest file to convert. A conversion holds the whole file in memory. */
const maxConvertedBytes = 50 * 1_048_576

/** The number of files of a folder that are checked concurrently. */
const lanes = 32

/** Compares the working tree with the index, like `git status --untracked-files=all`. Follows no symbolic links. */
export async function scanWorkTree(query: WorkTreeQuery): Promise<WorkTree> {
  const found: WorkTree = {
    changed: new Map(),
    untracked: [],
    refreshed: new Map(),
    unclear: new Map(),
  }
  const tracked = new Map(query.entries.map((entry) => [entry.path, entry]))
  const scan: Scan = {
    query,
    tracked,
    folders: foldersOf(query.entries),
    found,
    seen: new Set(),
    unread: [],
  }
  await using root = await openRoot(query.root)
  await scanFolder(scan, root, '', query.untracked ? await repositoryRules(root) : [], false)
  const twins = query.ignoresCase
    ? Map.groupBy(tracked.keys(), (path) => path.toLowerCase())
    : undefined
  for (const [path, entry] of tracked) {
    if (scan.seen.has(path) || entry.skipWorktree || entry.assumeValid) continue
    if (entry.mode === modes.commit || isUnclear(scan, path)) continue
    if (path.split('/').some((name) => bytesOf(name).length > longestName))
      found.unclear.set(path, 'has a name that is too long for a file')
    else if ((twins?.get(path.toLowerCase())?.length ?? 0) > 1)
      found.unclear.set(path, 'differs from another file’s name only in upper and lower case')
    else found.changed.set(path, undefined)
  }
  return found
}

/** The longest file name of common file systems, in bytes. */
const longestName = 255

/** True if a path is in a folder that could not be read. Adds it to `unclear`. */
function isUnclear({ found, unread }: Scan, path: string): boolean {
  const folder = unread.find((own) => path.startsWith(own))
  if (folder !== undefined)
    found.unclear.set(path, `is in the folder ${shownPath(folder)}, which cannot be read`)
  return found.unclear.has(path)
}

interface Scan {
  query: WorkTreeQuery
  tracked: ReadonlyMap<string, IndexEntry>
  /** Folders with tracked files, with a trailing slash. */
  folders: ReadonlySet<string>
  found: WorkTree
  /** Tracked paths that exist. */
  seen: Set<string>
  /** Folders without read permission, with a trailing slash. */
  unread: string[]
}

function foldersOf(entries: readonly IndexEntry[]): Set<string> {
  const folders = new Set<string>()
  for (const { path } of entries)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  return folders
}

/**
 * @param path the folder's path with a trailing slash, or empty
 * @param left true if a rule ignores all untracked files in it
 */
async function scanFolder(
  scan: Scan,
  folder: Directory,
  path: string,
  above: IgnoreRules,
  left: boolean,
): Promise<void> {
  const looks = scan.query.untracked && !left
  const rules = looks ? await rulesIn(above, folder, path) : above
  const listed = await readdir(folder.self, { withFileTypes: true, encoding: 'buffer' })
  const entries = listed
    .map((entry) => ({ entry, name: nameOf(entry.name) }))
    .filter(({ name }) => name !== '.git' && (!isUnfinished(name) || scan.tracked.has(path + name)))
  const folders = entries.filter(({ entry }) => entry.isDirectory())
  const files = entries.filter(({ entry }) => entry.isFile() || entry.isSymbolicLink())
  for (const { entry, name } of entries)
    if (!entry.isDirectory() && !entry.isFile() && !entry.isSymbolicLink())
      if (scan.tracked.has(path + name))
        scan.found.unclear.set(path + name, 'is neither a file nor a link')
  for (let i = 0; i < files.length; i += lanes)
    await Promise.all(
      files
        .slice(i, i + lanes)
        .map(({ name }) => scanFile(scan, folder, name, path + name, looks ? rules : undefined)),
    )
  for (const { name } of folders) await scanBelow(scan, folder, name, path, rules, left)
}

async function scanBelow(
  scan: Scan,
  folder: Directory,
  name: string,
  path: string,
  rules: IgnoreRules,
  left: boolean,
) {
  const own = `${path}${name}/`
  const commit = scan.tracked.get(path + name)
  const holdsTracked = scan.folders.has(own)
  const skipped = left || (scan.query.untracked && isIgnored(rules, own))
  if (commit?.mode !== modes.commit && !holdsTracked && (skipped || !scan.query.untracked)) return
  const child = await folder.open(name).catch(unlessGone)
  if (child === 'unreadable') scan.unread.push(own)
  if (child === undefined || child === 'unreadable') return
  await using opened = child
  if (commit?.mode === modes.commit) return await scanCommit(scan, opened, commit)
  if (!holdsTracked && (await nestedHead(opened)) !== undefined) {
    scan.found.untracked.push(own)
    return
  }
  await scanFolder(scan, opened, own, rules, skipped)
}

/** Compares a submodule's checked-out commit. Changes inside belong to its own repository. */
async function scanCommit(
  { found, query }: Scan,
  folder: Directory,
  entry: IndexEntry,
): Promise<void> {
  const head = await nestedHead(folder, query.root, entry.path)
  if (head === undefined || head === entry.oid) return
  found.changed.set(entry.path, { mode: modes.commit, oid: head, stat: entry.stat })
}

async function scanFile(
  scan: Scan,
  folder: Directory,
  name: string,
  path: string,
  rules: IgnoreRules | undefined,
) {
  const { found, query, seen, tracked } = scan
  const { converter } = query
  const entry = tracked.get(path)
  if (entry === undefined || entry.mode === modes.commit) {
    if (rules !== undefined && !isIgnored(rules, path)) found.untracked.push(path)
    return
  }
  const there = await statusOf(folder, name)
  if (there === undefined) return
  seen.add(path)
  if (entry.assumeValid || entry.skipWorktree) return
  const mode = modeOf(there, entry.mode, query.modes)
  if (mode === entry.mode && isUntouched(entry, there, query.indexMtimeNs)) return
  const stat = statDataOf(there)
  // A file with another size has changed, and is not read, as in git. An index entry with size 0 is inconclusive.
  const resized = entry.stat.size !== 0 && entry.stat.size !== stat.size
  if (mode !== entry.mode || resized || entry.intentToAdd) {
    found.changed.set(path, { mode, stat })
    return
  }
  const isFile = there.isFile() && mode !== modes.link
  // The result of a filter is unknown, so the file counts as unchanged if its time and size are.
  if (isFile && hasItsTime(entry, there) && (await converter.refusal(path)) !== undefined) {
    found.refreshed.set(path, stat)
    return
  }
  const oid = await idOf(scan, folder, name, isFile ? entry : undefined)
  if (oid === undefined) seen.delete(path)
  else if (oid === entry.oid) found.refreshed.set(path, stat)
  else found.changed.set(path, { mode, stat })
}

/** Returns the id of the content that git would store. @param entry set if git may convert the content */
async function idOf(
  { query: { converter } }: Scan,
  folder: Directory,
  name: string,
  entry: IndexEntry | undefined,
): Promise<string | undefined> {
  if (entry === undefined || !(await converter.converts(entry.path))) return hashWork(folder, name)
  try {
    const content = await readWork(folder, name, maxConvertedBytes)
    return content && blobId(await converter.stored(entry.path, content, entry.oid))
  } catch (error) {
    if (error instanceof LargeFile || error instanceof Unconverted) return hashWork(folder, name)
    throw error
  }
}

/** True if the file has the time and size of the index entry, even if it is another copy. */
function hasItsTime({ stat }: IndexEntry, found: BigIntStats): boolean {
  const { mtime, size } = statDataOf(found)
  return stat.size === size && stat.mtime[0] === mtime[0] && stat.mtime[1] === mtime[1]
}

function unlessGone(error: unknown): 'unreadable' | undefined {
  if (['EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return 'unreadable'
  if (!(error instanceof PathError)) throw error
  return undefined
}
