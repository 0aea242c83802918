import { byBytes } from '#shared/platform/folder/names.ts'
import { type Explored, requireRoot } from '../context.ts'
import { shownPath } from '../quote-path.ts'
import { compareWithHead, type Sides, sidesOf } from './compare.ts'
import { remoteUrl, withoutCredentials } from './remote.ts'
import { headOf, openRepository, readIndex } from './repository.ts'
import { scanWorkTree, workTreeSettings } from './work-tree.ts'

/** Returns the result of `git status --porcelain=v1 --untracked-files=all --no-renames --ignore-submodules=dirty`. */
export async function gitStatus(ctx: Explored) {
  const root = await requireRoot(ctx)
  const opened = await openRepository(root)
  if (opened === undefined) return { ok: true as const, isGitRepo: false as const }
  await using repository = opened
  const { branch = 'HEAD' } = await headOf(repository)
  const index = await readIndex(repository)
  const sides = sidesOf(index.entries)
  const staged = await compareWithHead(repository, sides)
  const work = await scanWorkTree({
    ...(await workTreeSettings(repository, root)),
    entries: sides.entries,
    indexMtimeNs: index.mtimeNs,
    untracked: true,
  })
  const changes = [...changesOf(sides, staged, work.changed)].sort(byPath)
  const untracked = work.untracked.map((path) => ({ status: '??', path })).sort(byPath)
  const remote = await remoteUrl(repository, branch)
  const all = [...changes, ...untracked].map(({ status, path }) => ({
    status,
    path: shownPath(path),
  }))
  return {
    ok: true as const,
    isGitRepo: true as const,
    branch,
    remote: remote === undefined ? null : withoutCredentials(remote.url),
    changes: all,
    hasChanges: all.length > 0,
  }
}

type Change = { status: string; path: string }

function* changesOf(
  { conflicts, byPath, intended }: Sides,
  staged: Awaited<ReturnType<typeof compareWithHead>>,
  changed: Awaited<ReturnType<typeof scanWorkTree>>['changed'],
): Iterable<Change> {
  for (const [path, status] of conflicts) yield { status, path }
  for (const path of new Set([...staged.keys(), ...changed.keys()])) {
    if (conflicts.has(path)) continue
    const before = byPath.get(path)
    const x = staged.get(path)?.letter ?? ' '
    const y = intended.has(path)
      ? 'A'
      : changed.has(path)
        ? letterOf(before?.mode, changed.get(path)?.mode)
        : ' '
    const status = `${x}${y}`.trim()
    if (status !== '') yield { status, path }
  }
}

/** Returns git's letter for a change of mode. */
function letterOf(before: number | undefined, after: number | undefined): string {
  if (after === undefined) return 'D'
  if (before === undefined) return 'A'
  return kindOf(before) === kindOf(after) ? 'M' : 'T'
}

const kindOf = (mode: number) => mode & 0o170000

/** Sorts by bytes, like git. */
function byPath(one: Change, other: Change): number {
  return byBytes(one.path, other.path)
}
