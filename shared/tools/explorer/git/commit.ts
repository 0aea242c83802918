import { posix } from 'node:path'
import { PlatformError } from '#shared/platform/errors.ts'
import { systemCode } from '#shared/platform/folder/directory.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { headFiles, type TreeFile } from './head-tree.ts'
import type { IndexEntry } from './index-file.ts'
import { configOf, headCommit, headOf, type Repository } from './repository.ts'
import { writeTree } from './write-tree.ts'

export interface CommitInput {
  entries: readonly IndexEntry[]
  message: string
  /** Called with the commit's id before the branch moves to it. */
  before(oid: string): Promise<void>
}

/**
 * Commits the index if it differs from HEAD.
 * @returns the new commit, or undefined if nothing changed
 * @throws PlatformError 500
 */
export async function commitIndex(
  repository: Repository,
  { entries, message, before }: CommitInput,
): Promise<string | undefined> {
  const parent = await headCommit(repository)
  const known = new Set<string>()
  const head = await headFiles(repository, known)
  if (parent !== undefined && isSame(head, entries)) return undefined
  const tree = await writeTree(repository, entries, known)
  const { git, at } = repository
  if (parent === undefined && entries.length === 0) return undefined
  const author = {
    ...(await authorOf(repository)),
    timestamp: epochSeconds(),
    timezoneOffset: 0,
  }
  const commit = {
    message: `${message}\n`,
    tree,
    parent: parent === undefined ? [] : [parent],
    author,
    committer: author,
  }
  const oid = await git.writeCommit({ ...at, commit })
  if ((await headCommit(repository)) !== parent) throw commitFailed('the branch has moved')
  await before(oid)
  const { ref } = await headOf(repository)
  await updateRef(repository, ref, oid)
  return oid
}

/** Compares files, not trees: old programs wrote trees with modes that git no longer uses. */
function isSame(head: ReadonlyMap<string, TreeFile>, entries: readonly IndexEntry[]): boolean {
  const own = entries.filter(({ intentToAdd }) => !intentToAdd)
  return (
    own.length === head.size &&
    own.every(({ path, mode, oid }) => {
      const file = head.get(path)
      return file?.mode === mode && file.oid === oid
    })
  )
}

/**
 * Updates a ref under git's own lock.
 * @throws PlatformError 500 if another git process holds it
 */
export async function updateRef(
  { at, files }: Repository,
  ref: string,
  oid: string,
): Promise<void> {
  const inside = posix.normalize(ref)
  const path = posix.join(at.gitdir, inside)
  if (!inside.startsWith('refs/') && inside !== 'HEAD') throw commitFailed('HEAD names no ref')
  await makeFolders(at.fs, posix.dirname(path))
  await files.replaceLocked(path, `${oid}\n`).catch((error: unknown) => {
    throw systemCode(error) === 'EEXIST' ? commitFailed('another git process is running') : error
  })
}

async function makeFolders(fs: Repository['at']['fs'], path: string): Promise<void> {
  if (path === '/') return
  await makeFolders(fs, posix.dirname(path))
  await fs.promises.mkdir(path)
}

/** Returns the repository's configured user, or else the platform. */
async function authorOf(repository: Repository): Promise<{ name: string; email: string }> {
  const clean = (text = '') => text.replaceAll(/[<>\p{Cc}]/gu, '').trim()
  const name = clean(await configOf(repository, 'user.name'))
  const email = clean(await configOf(repository, 'user.email'))
  return name !== '' && email !== ''
    ? { name, email }
    : { name: 'Agent Platform', email: 'noreply@localhost' }
}

function commitFailed(why: string): PlatformError {
  return new PlatformError('internal', `Commit failed: ${why}`)
}
