import { PlatformError } from '#shared/platform/errors.ts'
import { descend } from '#shared/platform/folder/directory.ts'
import { systemCode } from '#shared/platform/folder/directory.ts'
import { shownPath } from '../quote-path.ts'
import { sidesOf } from './compare.ts'
import { Unconverted } from './convert.ts'
import { formatIndex, type IndexEntry } from './index-file.ts'
import { nestedHead } from './nested.ts'
import { readIndex, type Repository, ignoreMissing } from './repository.ts'
import { LargeFile, statusOf, modeOf, modes, readWork, statDataOf } from './work-file.ts'
import { scanWorkTree, type WorkTreeSettings, workTreeSettings } from './work-tree.ts'

/** Files in `.git` during an operation that only a person can finish. */
const underWay = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']

/** isomorphic-git holds several copies of a file while storing it, and GitHub warns about larger files. */
const maxStagedBytes = 50 * 1_048_576

/**
 * Stages the working tree, like `git add --all`. Converts line ends. Rejects a file that a filter would change.
 * @returns the new index
 * @throws PlatformError 500
 */
export async function stageAll(
  repository: Repository,
  root: string,
): Promise<readonly IndexEntry[]> {
  for (const name of underWay)
    if ((await repository.at.fs.promises.lstat(`/.git/${name}`).catch(ignoreMissing)) !== undefined)
      throw stagingFailed('a merge or a rebase is in progress')
  const index = await readIndex(repository)
  const { conflicts, byPath } = sidesOf(index.entries)
  if (conflicts.size > 0) throw stagingFailed('there are conflicts')
  const settings = await workTreeSettings(repository, root)
  const { changed, unclear, untracked } = await scanWorkTree({
    ...settings,
    entries: index.entries,
    indexMtimeNs: index.mtimeNs,
    untracked: true,
  })
  for (const [path, why] of unclear) throw stagingFailed(`${shownPath(path)} ${why}`)
  for (const path of untracked)
    if (path.split('/').some((name) => ownFolder.test(name)))
      throw stagingFailed(`${shownPath(path)} has a name that git reserves for its own folder`)
  if (changed.size + untracked.length === 0) return index.entries
  const entries = new Map(byPath)
  for (const [path, file] of changed) {
    if (file === undefined) entries.delete(path)
    else if (file.oid !== undefined) set(entries, { ...file, oid: file.oid, path })
  }
  for (const path of [...changed.keys(), ...untracked]) {
    if (changed.has(path) && changed.get(path)?.mode === modes.commit) continue
    if (changed.has(path) && changed.get(path) === undefined) continue
    const staged = await fromWorkTree(repository, settings, path, entries.get(path))
    if (staged === undefined) entries.delete(path)
    else set(entries, staged)
  }
  const all = [...entries.values()]
  await repository.files.replaceLocked('/.git/index', formatIndex(all)).catch((error: unknown) => {
    throw systemCode(error) === 'EEXIST' ? stagingFailed('another git process is running') : error
  })
  return all
}

/** Names that some file systems treat as `.git`. Git refuses them too (verify_path in read-cache.c). */
const ownFolder = /^(?:\.git|git~1)[ .]*(?:$|[:\\])/i

type Staged = Pick<IndexEntry, 'path' | 'mode' | 'oid' | 'stat'>

function set(entries: Map<string, IndexEntry>, staged: Staged): void {
  const flags = { stage: 0, assumeValid: false, skipWorktree: false, intentToAdd: false }
  entries.set(staged.path, { ...staged, ...flags })
}

/**
 * Returns undefined if the file was deleted in the meantime.
 * @param entryPath with a trailing slash for a nested repository
 */
async function fromWorkTree(
  { git, at }: Repository,
  { converter, modes: trusted, root }: WorkTreeSettings,
  entryPath: string,
  before: IndexEntry | undefined,
): Promise<Staged | undefined> {
  const path = entryPath.replace(/\/$/, '')
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  await using folder = await descend(root, folders)
  if (path !== entryPath) {
    await using nested = await folder.open(name)
    const oid = await nestedHead(nested)
    return oid === undefined ? undefined : { path, mode: modes.commit, oid, stat: noStat }
  }
  const found = await statusOf(folder, name)
  const content =
    found &&
    (await readWork(folder, name, maxStagedBytes).catch((error: unknown) => {
      if (!(error instanceof LargeFile)) throw error
      throw stagingFailed(
        `${shownPath(path)} has more than ${maxStagedBytes / 1_048_576} MB; exclude it by a rule in .gitignore`,
      )
    }))
  if (found === undefined || content === undefined) return undefined
  const mode = modeOf(found, before?.mode, trusted)
  const stored =
    found.isFile() && mode !== modes.link
      ? await converter.stored(path, content, before?.oid).catch((error: unknown) => {
          if (!(error instanceof Unconverted)) throw error
          throw stagingFailed(`${shownPath(path)} ${error.message}`)
        })
      : content
  const oid = await git.writeBlob({ ...at, blob: stored })
  // The file may have grown since `stat`, so the size of the read content is stored.
  const stat = { ...statDataOf(found), size: content.length }
  return { path, mode, oid, stat }
}

const noStat = { ctime: [0, 0], mtime: [0, 0], dev: 0, ino: 0, uid: 0, gid: 0, size: 0 } as const

function stagingFailed(why: string): PlatformError {
  return new PlatformError('internal', `Staging failed: ${why}`)
}
