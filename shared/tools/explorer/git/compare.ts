import { headFiles, type TreeFile } from './head-tree.ts'
import type { IndexEntry } from './index-file.ts'
import type { Repository } from './repository.ts'

/** The index, by path. */
export interface Sides {
  /** One entry for each path. In a conflict, our side, otherwise the first side. */
  entries: IndexEntry[]
  byPath: ReadonlyMap<string, IndexEntry>
  /** Conflicting paths with git's two letters. */
  conflicts: ReadonlyMap<string, string>
  /** Paths added by `git add --intent-to-add`, without content. */
  intended: ReadonlySet<string>
}

/** Git's letters, by the present sides: base (1), ours (2) and theirs (3). */
const letters: Record<string, string> = {
  '1': 'DD',
  '2': 'AU',
  '12': 'UD',
  '3': 'UA',
  '13': 'DU',
  '23': 'AA',
  '123': 'UU',
}

/** Groups the entries of an index by path, and chooses one entry for each path. */
export function sidesOf(all: readonly IndexEntry[]): Sides {
  const conflicts = new Map<string, string>()
  const entries: IndexEntry[] = []
  const intended = new Set<string>()
  for (const [path, sides] of Map.groupBy(all, ({ path }) => path)) {
    const stages = sides.map(({ stage }) => stage)
    if (stages[0] !== 0) conflicts.set(path, letters[stages.join('')] ?? 'UU')
    const chosen = sides.find(({ stage }) => stage === 0 || stage === 2) ?? sides[0]
    if (chosen === undefined) continue
    entries.push(chosen)
    if (chosen.intentToAdd) intended.add(path)
  }
  return {
    entries,
    byPath: new Map(entries.map((entry) => [entry.path, entry])),
    conflicts,
    intended,
  }
}

/** A change of a file between two commits, or between a commit and the index. */
export interface Step {
  letter: 'A' | 'D' | 'M' | 'T'
  before: TreeFile | undefined
  after: TreeFile | undefined
}

/** Returns the staged changes: the index compared with HEAD. */
export async function compareWithHead(
  repository: Repository,
  { entries, conflicts, intended }: Sides,
) {
  const head = await headFiles(repository)
  const steps = new Map<string, Step>()
  for (const { path, mode, oid } of entries) {
    const before = head.get(path)
    head.delete(path)
    if (conflicts.has(path) || intended.has(path)) continue
    if (before === undefined) steps.set(path, { letter: 'A', before, after: { mode, oid } })
    else if (before.mode !== mode || before.oid !== oid) {
      const same = (before.mode & 0o170000) === (mode & 0o170000)
      steps.set(path, { letter: same ? 'M' : 'T', before, after: { mode, oid } })
    }
  }
  for (const [path, before] of head) steps.set(path, { letter: 'D', before, after: undefined })
  return steps
}
