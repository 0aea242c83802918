import { updateRef } from './commit.ts'
import { treeEntries } from './head-tree.ts'
import { NotPushed } from './not-pushed.ts'
import { type Remote, trackingRef } from './remote.ts'
import { openRepositoryAt, type Repository } from './repository.ts'

/**
 * Pushes to a repository on this machine: copies the missing objects and moves its branch. Runs no hooks.
 * @throws NotPushed
 */
export async function pushToPath(
  repository: Repository,
  { path, remote, branch }: { path: string; remote: Remote; branch: string },
): Promise<void> {
  const opened = await openRepositoryAt(path)
  if (opened === undefined) throw new NotPushed('the remote’s path contains no repository')
  await using target = opened
  const { git, at } = repository
  const oid = await git.resolveRef({ ...at, ref: `refs/heads/${branch}` })
  const old = await git.resolveRef({ ...target.at, ref: remote.ref }).catch(() => undefined)
  if (old !== oid) {
    if (old !== undefined && !(await isBehind(repository, old, oid)))
      throw new NotPushed('the remote has commits that the workspace does not have')
    if (
      target.at.gitdir === '/.git' &&
      (await target.git.currentBranch({ ...target.at, fullname: true })) === remote.ref
    )
      throw new NotPushed('the remote has checked that branch out')
    await copyObjects(repository, target, oid)
    await updateRef(target, remote.ref, oid)
  }
  await updateRef(repository, trackingRef(remote), oid)
}

async function isBehind({ git, at }: Repository, ancestor: string, oid: string): Promise<boolean> {
  return git.isDescendent({ ...at, oid, ancestor, depth: -1 }).catch(() => false)
}

/** Copies the objects that an object refers to before the object itself, so that every stored object is complete. */
async function copyObjects(from: Repository, to: Repository, first: string): Promise<void> {
  const open = [{ oid: first, done: false }]
  const visited = new Set<string>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { oid, done } = next
    if (!done && (visited.has(oid) || (await has(to, oid)))) continue
    visited.add(oid)
    const { type, object } = await from.git.readObject({ ...from.at, oid, format: 'content' })
    if (!(object instanceof Uint8Array)) throw new TypeError(`the object ${oid} cannot be read`)
    const names = done ? [] : namesOf(type, Buffer.from(object))
    if (names.length > 0)
      open.push({ oid, done: true }, ...names.map((name) => ({ oid: name, done: false })))
    else await to.git.writeObject({ ...to.at, type: kindOf(type), object, format: 'content' })
  }
}

async function has({ git, at }: Repository, oid: string): Promise<boolean> {
  try {
    await git.readObject({ ...at, oid, format: 'deflated' })
    return true
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return false
    throw error
  }
}

function kindOf(type: string): 'blob' | 'commit' | 'tag' | 'tree' {
  if (type === 'blob' || type === 'commit' || type === 'tag' || type === 'tree') return type
  throw new TypeError(`an object of the kind ${type}`)
}

/** Returns the objects that an object refers to. A submodule's commit belongs to its own repository. */
function namesOf(type: string, object: Buffer): string[] {
  if (type === 'commit')
    return [
      ...(object
        .toString('latin1')
        .split('\n\n', 1)[0]
        ?.matchAll(/^(?:tree|parent) ([0-9a-f]{40})$/gm) ?? []),
    ].map(([, oid = '']) => oid)
  return type === 'tree'
    ? treeEntries(object)
        .filter(({ mode }) => mode !== 0o160000)
        .map(({ oid }) => oid)
    : []
}
