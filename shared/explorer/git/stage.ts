import { descend } from '../../platform/folder/directory.ts'
import { PlatformError } from '../../platform/errors.ts'
import { systemCode } from '../../platform/folder/directory.ts'
import { sidesOf } from './compare.ts'
import { formatIndex, type IndexEntry } from './index-file.ts'
import { nestedHead } from './nested.ts'
import { configOf, readIndex, type Repository, unlessNone } from './repository.ts'
import { LargeFile, lookAt, modeOf, modes, readWork, statDataOf } from './work-file.ts'
import { scanWorkTree } from './work-tree.ts'

/** What stands in `.git` while a person is in the middle of something that only they can finish. */
const underWay = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']

/** isomorphic-git holds a file some times over while it stores it, and GitHub warns of larger ones. */
const maxStagedBytes = 50 * 1_048_576

/**
 * Puts the working tree into the index, as `git add --all` does; no filter is run, and no line's end changed.
 * @returns the index as it is then
 * @throws PlatformError 500
 */
export async function stageAll(
  repository: Repository,
  root: string,
): Promise<readonly IndexEntry[]> {
  for (const name of underWay)
    if ((await repository.at.fs.promises.lstat(`/.git/${name}`).catch(unlessNone)) !== undefined)
      throw stagingFailed('a merge or a rebase is under way')
  const index = await readIndex(repository)
  const { conflicts, byPath } = sidesOf(index.entries)
  if (conflicts.size > 0) throw stagingFailed('there are conflicts')
  const trustsMode = (await configOf(repository, 'core.filemode')) !== 'false'
  const { changed, untracked } = await scanWorkTree({
    root,
    entries: index.entries,
    indexMtimeNs: index.mtimeNs,
    trustsMode,
    untracked: true,
  })
  if (changed.size + untracked.length === 0) return index.entries
  const entries = new Map(byPath)
  for (const [path, file] of changed) {
    if (file === undefined) entries.delete(path)
    else if (file.oid !== undefined) set(entries, { ...file, oid: file.oid, path })
  }
  for (const path of [...changed.keys(), ...untracked]) {
    if (changed.has(path) && changed.get(path)?.mode === modes.commit) continue
    if (changed.has(path) && changed.get(path) === undefined) continue
    const staged = await fromWorkTree(repository, root, path, entries.get(path)?.mode, trustsMode)
    if (staged === undefined) entries.delete(path)
    else set(entries, staged)
  }
  const all = [...entries.values()]
  await repository.files.replaceLocked('/.git/index', formatIndex(all)).catch((error: unknown) => {
    throw systemCode(error) === 'EEXIST' ? stagingFailed('another git is at work') : error
  })
  return all
}

type Staged = Pick<IndexEntry, 'path' | 'mode' | 'oid' | 'stat'>

function set(entries: Map<string, IndexEntry>, staged: Staged): void {
  const flags = { stage: 0, assumeValid: false, skipWorktree: false, intentToAdd: false }
  entries.set(staged.path, { ...staged, ...flags })
}

/** Undefined for what has gone meanwhile. @param given with a slash behind it for a repository in the tree */
async function fromWorkTree(
  { git, at }: Repository,
  root: string,
  given: string,
  modeBefore: number | undefined,
  trustsMode: boolean,
): Promise<Staged | undefined> {
  const path = given.replace(/\/$/, '')
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  await using folder = await descend(root, folders)
  if (path !== given) {
    await using nested = await folder.open(name)
    const oid = await nestedHead(nested)
    return oid === undefined ? undefined : { path, mode: modes.commit, oid, stat: noStat }
  }
  const found = await lookAt(folder, name)
  const content =
    found &&
    (await readWork(folder, name, maxStagedBytes).catch((error: unknown) => {
      if (!(error instanceof LargeFile)) throw error
      throw stagingFailed(
        `${path} has more than ${maxStagedBytes / 1_048_576} MB; leave it out by a rule in .gitignore`,
      )
    }))
  if (found === undefined || content === undefined) return undefined
  const oid = await git.writeBlob({ ...at, blob: content })
  // It may have grown since it was looked at: what is kept is the size of what was stored.
  const stat = { ...statDataOf(found), size: content.length }
  return { path, mode: modeOf(found, modeBefore, trustsMode), oid, stat }
}

const noStat = { ctime: [0, 0], mtime: [0, 0], dev: 0, ino: 0, uid: 0, gid: 0, size: 0 } as const

function stagingFailed(why: string): PlatformError {
  return new PlatformError('internal', `Staging failed: ${why}`)
}
