import { posix } from 'node:path'
import type * as isomorphicGit from 'isomorphic-git'
import { PlatformError } from '#shared/platform/errors.ts'
import { systemCode } from '#shared/platform/folder/directory.ts'
import { openFiles, type RepositoryFiles } from './file-system.ts'
import { IndexError, type IndexEntry, parseIndex } from './index-file.ts'
import { LargeFile, statusOf, readWork, type TrustedModes } from './work-file.ts'

type Git = typeof isomorphicGit

/** A repository that is opened for one request. */
export interface Repository {
  files: RepositoryFiles
  git: Git
  /** The common arguments of isomorphic-git's functions. */
  at: { fs: isomorphicGit.PromiseFsClient; dir: '/'; gitdir: '/.git' | '/'; cache: object }
}

type OpenRepository = Repository & AsyncDisposable

/**
 * Opens the repository whose working tree is the root, or returns undefined. Its `.git` must be a directory: a file or
 * a link could point elsewhere.
 * @throws PlatformError 500 for an unsupported format
 */
export async function openRepository(root: string): Promise<OpenRepository | undefined> {
  return openOne(root, ['/.git'])
}

/** Opens a repository with or without a working tree. */
export async function openRepositoryAt(path: string): Promise<OpenRepository | undefined> {
  return openOne(path, ['/.git', '/']).catch(ignoreMissing)
}

async function openOne(root: string, places: readonly ('/.git' | '/')[]) {
  const files = await openFiles(root)
  try {
    for (const gitdir of places) {
      if (!(await isRepository(files, gitdir))) continue
      // Loaded on demand: it is most of this function's code.
      const git = await import('isomorphic-git')
      const at = { fs: files.fs, dir: '/', gitdir, cache: {} } as const
      const repository = { files, git, at }
      await requireKnownFormat(repository)
      return { ...repository, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() }
    }
  } catch (error) {
    await files[Symbol.asyncDispose]()
    throw error
  }
  await files[Symbol.asyncDispose]()
  return undefined
}

/** Checks what git itself requires of a repository. */
async function isRepository({ fs: { promises: fs } }: RepositoryFiles, gitdir: string) {
  const kinds = await Promise.all(
    ['', 'HEAD', 'objects', 'refs'].map(async (name) => {
      const found = await fs.lstat(posix.join(gitdir, name)).catch(ignoreMissing)
      return found?.isDirectory() ? 'directory' : found?.isFile() ? 'file' : 'none'
    }),
  )
  return kinds.join() === 'directory,file,directory,directory'
}

async function requireKnownFormat(repository: Repository): Promise<void> {
  const format = (await configOf(repository, 'extensions.objectformat')) ?? 'sha1'
  const refs = (await configOf(repository, 'extensions.refstorage')) ?? 'files'
  if (format !== 'sha1' || refs !== 'files')
    throw new PlatformError(
      'internal',
      `Repositories of the format ${format}, ${refs} are not supported`,
    )
  if (repository.at.gitdir === '/.git') await requireOwnWorkTree(repository)
}

/** Extensions that do not change the files that this code reads and writes. */
const knownExtensions = new Set([
  'noop',
  'noop-v1',
  'objectformat',
  'partialclone',
  'preciousobjects',
  'refstorage',
  'relativeworktrees',
  'worktreeconfig',
])

/** Rejects a repository with another or no work tree, because all its files would count as deleted here. */
async function requireOwnWorkTree(repository: Repository): Promise<void> {
  const elsewhere = await configOf(repository, 'core.worktree')
  if (elsewhere !== undefined || (await configOf(repository, 'core.bare')) === 'true')
    throw new PlatformError(
      'internal',
      `The repository’s work tree is not the workspace: core.${elsewhere === undefined ? 'bare' : 'worktree'} is set`,
    )
  const text: unknown = await repository.at.fs.promises.readFile('/.git/config', 'utf8')
  for (const [, section = ''] of String(text).matchAll(/^\s*\[extensions\]([^[]*)/gim))
    for (const [, name = ''] of section.matchAll(/^\s*([a-z][a-z0-9-]*)/gim))
      if (!knownExtensions.has(name.toLowerCase()))
        throw new PlatformError(
          'internal',
          `The repository has the extension ${name}, which is unknown`,
        )
}

/** Reads the repository's own configuration only. */
export async function configOf({ git, at }: Repository, path: string): Promise<string | undefined> {
  const value: unknown = await git.getConfig({ ...at, path })
  return value === undefined ? undefined : String(value)
}

/** Reads the settings for file modes. */
export async function trustedModes(repository: Repository): Promise<TrustedModes> {
  return {
    trustsMode: (await configOf(repository, 'core.filemode')) !== 'false',
    hasLinks: (await configOf(repository, 'core.symlinks')) !== 'false',
  }
}

/** Returns HEAD's branch and ref; without a branch, HEAD names a commit. */
export async function headOf({
  at,
}: Repository): Promise<{ branch: string | undefined; ref: string }> {
  const text: unknown = await at.fs.promises.readFile('/.git/HEAD', 'utf8')
  const ref = /^ref: *(refs\/\S.*?)\s*$/.exec(String(text))?.[1]
  if (ref === undefined) return { branch: undefined, ref: 'HEAD' }
  return { branch: ref.replace(/^refs\/heads\//, ''), ref }
}

/** Returns HEAD's commit, or undefined before the first one. */
export async function headCommit({ git, at }: Repository): Promise<string | undefined> {
  return git.resolveRef({ ...at, ref: 'HEAD' }).catch((error: unknown) => {
    if (error instanceof git.Errors.NotFoundError) return undefined
    throw error
  })
}

export interface Index {
  entries: IndexEntry[]
  /** The time of the index file. A file with an earlier time has not changed since the index was written. */
  mtimeNs: bigint
}

/** The maximum size of an index: about 400,000 files, each read as an object. */
const maxIndexBytes = 50_000_000

/** @throws PlatformError 500 if the index cannot be read */
export async function readIndex({ files }: Repository): Promise<Index> {
  const folder = await files.directory('/.git')
  const found = await statusOf(folder, 'index')
  if (found?.isFile() !== true) return { entries: [], mtimeNs: 0n }
  try {
    const bytes = await readWork(folder, 'index', maxIndexBytes)
    if (bytes === undefined) return { entries: [], mtimeNs: 0n }
    return { entries: parseIndex(bytes), mtimeNs: found.mtimeNs }
  } catch (error) {
    const known = [IndexError, LargeFile, RangeError].some((kind) => error instanceof kind)
    if (!known || !(error instanceof Error)) throw error
    throw new PlatformError('internal', `The repository’s index cannot be read: ${error.message}`)
  }
}

/**
 * Handles the error of a missing path.
 * @throws any other error
 */
export function ignoreMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) throw error
}
