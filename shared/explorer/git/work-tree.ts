import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { type Directory, openRoot, PathError, systemCode } from '../../platform/folder/directory.ts'
import { isUnfinished } from '../../platform/folder/replace.ts'
import { isIgnored, type IgnoreRules, repositoryRules, rulesIn } from './ignore.ts'
import type { IndexEntry } from './index-file.ts'
import { nestedHead } from './nested.ts'
import { hashWork, isUntouched, lookAt, modeOf, modes, statDataOf } from './work-file.ts'
import type { StatData } from './index-file.ts'

/** What stands in the working tree for a path, where it is not what the index has. */
export interface WorkFile {
  mode: number
  /** The commit of a submodule; what a file holds is for who shows or stages it to read. */
  oid?: string
  stat: StatData
}

export interface WorkTree {
  /** Files that the index has otherwise; undefined for those that are gone. */
  changed: Map<string, WorkFile | undefined>
  /** Files that the index does not have and no rule leaves out; a repository in the tree ends in a slash. */
  untracked: string[]
  /** Tracked files whose content is the index's, though their times are not. */
  refreshed: Map<string, StatData>
}

export interface WorkTreeQuery {
  root: string
  /** The index, without the sides of conflicts but one for each path. */
  entries: readonly IndexEntry[]
  indexMtimeNs: bigint
  trustsMode: boolean
  /** Whether files are looked for that the index does not have. */
  untracked: boolean
}

/** So many files of a folder are looked at side by side. */
const lanes = 32

/** Compares the working tree with the index, as `git status --untracked-files=all` does. No link is followed. */
export async function scanWorkTree(query: WorkTreeQuery): Promise<WorkTree> {
  const found: WorkTree = { changed: new Map(), untracked: [], refreshed: new Map() }
  const tracked = new Map(query.entries.map((entry) => [entry.path, entry]))
  const scan: Scan = { query, tracked, folders: foldersOf(query.entries), found, seen: new Set() }
  await using root = await openRoot(query.root)
  await scanFolder(scan, root, '', query.untracked ? await repositoryRules(root) : [], false)
  for (const [path, entry] of tracked)
    if (!scan.seen.has(path) && !entry.skipWorktree && entry.mode !== modes.commit)
      found.changed.set(path, undefined)
  return found
}

interface Scan {
  query: WorkTreeQuery
  tracked: ReadonlyMap<string, IndexEntry>
  /** The folders, with a slash behind them, that hold tracked files. */
  folders: ReadonlySet<string>
  found: WorkTree
  /** Tracked paths that are there. */
  seen: Set<string>
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

/** @param path of the folder, with a slash behind it, or empty. @param left whether a rule leaves out all that is not tracked */
async function scanFolder(
  scan: Scan,
  folder: Directory,
  path: string,
  above: IgnoreRules,
  left: boolean,
): Promise<void> {
  const looks = scan.query.untracked && !left
  const rules = looks ? await rulesIn(above, folder, path) : above
  const entries = (await readdir(folder.self, { withFileTypes: true })).filter(
    ({ name }) => name !== '.git' && !isUnfinished(name),
  )
  const folders = entries.filter((entry) => entry.isDirectory())
  const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())
  for (let i = 0; i < files.length; i += lanes)
    await Promise.all(
      files
        .slice(i, i + lanes)
        .map(({ name }) => scanFile(scan, folder, name, path + name, looks ? rules : undefined)),
    )
  for (const entry of folders) await scanBelow(scan, folder, entry, path, rules, left)
}

async function scanBelow(
  scan: Scan,
  folder: Directory,
  { name }: Dirent,
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
  if (child === undefined) return
  await using held = child
  if (commit?.mode === modes.commit) return await scanCommit(scan, held, commit)
  if (!holdsTracked && (await nestedHead(held)) !== undefined) {
    scan.found.untracked.push(own)
    return
  }
  await scanFolder(scan, held, own, rules, skipped)
}

/** A submodule is the commit that is checked out in it; what has changed inside is its own repository's. */
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
  const entry = tracked.get(path)
  if (entry === undefined || entry.mode === modes.commit) {
    if (rules !== undefined && !isIgnored(rules, path)) found.untracked.push(path)
    return
  }
  const there = await lookAt(folder, name)
  if (there === undefined) return
  seen.add(path)
  if (entry.assumeValid || entry.skipWorktree) return
  const mode = modeOf(there, entry.mode, query.trustsMode)
  if (mode === entry.mode && isUntouched(entry, there, query.indexMtimeNs)) return
  const stat = statDataOf(there)
  // As git does: a file of another size has changed, and is not read for it. An entry without a size tells nothing.
  const resized = entry.stat.size !== 0 && entry.stat.size !== stat.size
  if (mode !== entry.mode || resized || entry.intentToAdd) {
    found.changed.set(path, { mode, stat })
    return
  }
  const oid = await hashWork(folder, name)
  if (oid === undefined) seen.delete(path)
  else if (oid === entry.oid) found.refreshed.set(path, stat)
  else found.changed.set(path, { mode, stat })
}

function unlessGone(error: unknown): undefined {
  const gone = error instanceof PathError || ['EACCES', 'EPERM'].includes(systemCode(error) ?? '')
  if (!gone) throw error
}
