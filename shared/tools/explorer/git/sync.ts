import { posix } from 'node:path'
import { PlatformError } from '#shared/platform/errors.ts'
import { replaceFile } from '#shared/platform/folder/replace.ts'
import { type Explored, requireRoot } from '../context.ts'
import { commitIndex } from './commit.ts'
import { type Lock, removeStaleLock, acquireLock } from './lock.ts'
import { NotPushed } from './not-pushed.ts'
import { push, type PushSettings } from './push.ts'
import { remoteUrl, trackingRef } from './remote.ts'
import { headCommit, headOf, openRepository, type Repository, ignoreMissing } from './repository.ts'
import { stageAll } from './stage.ts'

/** contract.md 10, Explorer. */
const longestMs = 20_000

/**
 * A file in `.git` with the commit that a sync made and has not pushed yet. After a killed sync, the next one pushes
 * it.
 */
const unpushed = 'agent-platform-unpushed'

/** Runs the syncs of this process one after the other. */
let last: Promise<unknown> = Promise.resolve()
let waiting = 0

/** The maximum number of waiting syncs. Each may take 20 s, and one commit covers all earlier changes. */
const maxWaiting = 8

/**
 * Commits and pushes all changes within 20 s. Waits for another sync of the same repository. A failed push is not an
 * error: the commit stays, and the next sync pushes it.
 * @throws PlatformError 500 if the commit fails, 409 while another process syncs, 429 if too many syncs wait
 */
export async function gitSync(
  ctx: Explored & { login: PushSettings['login'] },
  input: { message: string },
) {
  if (waiting > maxWaiting)
    throw new PlatformError('too-many-requests', 'Too many syncs are waiting; try again soon', {
      headers: { 'Retry-After': '5' },
    })
  waiting++
  const signal = AbortSignal.timeout(longestMs)
  const turn = last.then(() => syncNow(ctx, { ...input, signal })).finally(() => waiting--)
  last = turn.catch(() => {})
  return turn
}

async function syncNow(
  ctx: Explored & { login: PushSettings['login'] },
  { message, signal }: { message: string; signal: AbortSignal },
) {
  const root = await requireRoot(ctx)
  const opened = await openRepository(root)
  if (opened === undefined)
    throw new PlatformError('internal', 'The workspace is not a git repository')
  await using repository = opened
  const git = await repository.files.directory('/.git')
  const lock = await acquireLock(git, ctx.deployed)
  try {
    await removeAllLeft(repository, lock)
    const entries = await stageAll(repository, root)
    const commit = await commitIndex(repository, {
      entries,
      message,
      before: (oid) => replaceFile(git, unpushed, oid),
    })
    const hash = commit ?? ''
    const owed = commit ?? (await owedCommit(repository))
    const done = { ok: true as const, committed: commit !== undefined, hash }
    if (owed === undefined) return { ...done, pushed: false, message: 'Nothing has changed' }
    const words =
      commit === undefined
        ? `${owed.slice(0, 7)} was committed before`
        : `Committed ${owed.slice(0, 7)}`
    try {
      const to = await pushHead(repository, { ctx, root, signal })
      await repository.at.fs.promises.unlink(`/.git/${unpushed}`)
      return { ...done, pushed: true, message: `${words}, pushed to ${to}` }
    } catch (error) {
      if (!(error instanceof NotPushed)) throw error
      return { ...done, pushed: false, message: `${words}, not pushed: ${error.message}` }
    }
  } finally {
    await lock.release()
  }
}

/** Removes leftover locks of the index, of HEAD's branch and of the remote-tracking ref. */
async function removeAllLeft(repository: Repository, lock: Lock): Promise<void> {
  const { branch, ref } = await headOf(repository)
  const remote = branch === undefined ? undefined : await remoteUrl(repository, branch)
  const paths = ['index', 'HEAD', ref, remote && trackingRef(remote)]
  for (const path of paths)
    if (path !== undefined) await removeStaleLock(repository.files, posix.join('/.git', path), lock)
}

async function pushHead(
  repository: Repository,
  {
    ctx,
    root,
    signal,
  }: { ctx: Explored & { login: PushSettings['login'] }; root: string; signal: AbortSignal },
): Promise<string> {
  const { branch } = await headOf(repository)
  if (branch === undefined) throw new NotPushed('HEAD is not on a branch')
  const settings = { deployed: ctx.deployed, login: ctx.login }
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(new NotPushed('the remote did not respond within 20 s'))
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  const { name, ref } = await Promise.race([
    push(repository, { root, branch, settings, signal }),
    late.promise,
  ])
  return `${name}/${ref.replace(/^refs\/heads\//, '')}`
}

/** Returns the unpushed commit of an earlier sync, if it is still HEAD. */
async function owedCommit(repository: Repository): Promise<string | undefined> {
  const text: unknown = await repository.at.fs.promises
    .readFile(`/.git/${unpushed}`, 'utf8')
    .catch(ignoreMissing)
  return text !== undefined && text === (await headCommit(repository)) ? String(text) : undefined
}
