import { diffArrays } from 'diff'
import { type Gaps, slideGroups } from './slide.ts'

const context = 3
/**
 * The maximum number of changed lines for a shortest diff. With more, everything between the first and the last change
 * counts as changed.
 */
const maxEdits = 4000

/** Returns the hunks of a unified diff of two texts. Lines include their ends; bytes are Latin-1. */
export function hunksOf(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const { oldGaps, freshGaps } = gapsOf(old, fresh)
  slideGroups(old, oldGaps, freshGaps)
  slideGroups(fresh, freshGaps, oldGaps)
  return [...grouped(oldGaps, freshGaps)].map((hunk) => formatHunk(old, fresh, hunk)).join('')
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function gapsOf(old: string[], fresh: string[]): { oldGaps: Gaps; freshGaps: Gaps } {
  const least = Math.min(old.length, fresh.length)
  let head = 0
  while (head < least && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < least - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const middle = [
    old.slice(head, old.length - tail),
    fresh.slice(head, fresh.length - tail),
  ] as const
  const oldGaps: Gaps = Array.from({ length: head + 1 }, () => 0)
  const freshGaps = [...oldGaps]
  const add = (gaps: Gaps, count: number) => (gaps[gaps.length - 1] = (gaps.at(-1) ?? 0) + count)
  const addCommon = (count: number) => {
    for (const gaps of [oldGaps, freshGaps]) for (let i = 0; i < count; i++) gaps.push(0)
  }
  const changes = diffArrays(...middle, { maxEditLength: maxEdits })
  if (changes === undefined) {
    add(oldGaps, middle[0].length)
    add(freshGaps, middle[1].length)
  }
  for (const { added, removed, count } of changes ?? []) {
    if (removed) add(oldGaps, count)
    else if (added) add(freshGaps, count)
    else addCommon(count)
  }
  addCommon(tail)
  return { oldGaps, freshGaps }
}

/** A run of lines on each side: gaps with changes, and common lines around and between them. */
interface Hunk {
  old: { begin: number; end: number }
  fresh: { begin: number; end: number }
  /** The changes of each gap. Gaps are separated by one common line. */
  gaps: { removed: number; added: number }[]
  /** Common lines before the first gap. */
  lead: number
  /** Common lines behind the last gap. */
  trail: number
}

function* grouped(oldGaps: Readonly<Gaps>, freshGaps: Readonly<Gaps>): Iterable<Hunk> {
  const last = oldGaps.length - 1
  const isChanged = (at: number) => (oldGaps[at] ?? 0) + (freshGaps[at] ?? 0) > 0
  let [oldAt, freshAt] = [0, 0]
  let open: { hunk: Hunk; lastChange: number } | undefined
  for (let at = 0; at <= last; at++) {
    const [removed, added] = [oldGaps[at] ?? 0, freshGaps[at] ?? 0]
    if (open !== undefined && at - open.lastChange > 2 * context && !isChanged(at)) {
      yield closed(open.hunk, open.lastChange, last)
      open = undefined
    }
    if (isChanged(at)) {
      if (open !== undefined && at - open.lastChange > 2 * context) {
        yield closed(open.hunk, open.lastChange, last)
        open = undefined
      }
      if (open === undefined) {
        const lead = Math.min(context, at)
        const begin = (position: number) => ({ begin: position - lead, end: position })
        open = {
          hunk: { old: begin(oldAt), fresh: begin(freshAt), gaps: [], lead, trail: 0 },
          lastChange: at,
        }
      } else
        for (let between = open.lastChange + 1; between < at; between++)
          open.hunk.gaps.push({ removed: 0, added: 0 })
      open.hunk.gaps.push({ removed, added })
      open.hunk.old.end = oldAt + removed
      open.hunk.fresh.end = freshAt + added
      open.lastChange = at
    }
    oldAt += removed + 1
    freshAt += added + 1
  }
  if (open !== undefined) yield closed(open.hunk, open.lastChange, last)
}

function closed(hunk: Hunk, lastChange: number, last: number): Hunk {
  const trail = Math.min(context, last - lastChange)
  const grown = ({ begin, end }: Hunk['old']) => ({ begin, end: end + trail })
  return { ...hunk, old: grown(hunk.old), fresh: grown(hunk.fresh), trail }
}

function formatHunk(old: readonly string[], fresh: readonly string[], hunk: Hunk): string {
  const lines = [`@@ -${range(hunk.old)} +${range(hunk.fresh)} @@${heading(old, hunk.old.begin)}\n`]
  let [oldAt, freshAt] = [hunk.old.begin, hunk.fresh.begin]
  const put = (sign: string, line = '') =>
    lines.push(line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)
  const common = (count: number) => {
    for (let i = 0; i < count; i++, freshAt++) put(' ', old[oldAt++])
  }
  common(hunk.lead)
  for (const [i, { removed, added }] of hunk.gaps.entries()) {
    if (i > 0) common(1)
    for (let k = 0; k < removed; k++) put('-', old[oldAt++])
    for (let k = 0; k < added; k++) put('+', fresh[freshAt++])
  }
  common(hunk.trail)
  return lines.join('')
}

function range({ begin, end }: Hunk['old']): string {
  const count = end - begin
  if (count === 0) return `${begin},0`
  return count === 1 ? `${begin + 1}` : `${begin + 1},${count}`
}

/** Returns the last line above that starts with a letter, up to 80 bytes, as git does by default. */
function heading(lines: readonly string[], begin: number): string {
  for (let at = begin - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (/^[A-Za-z_$]/.test(line)) return ` ${line.slice(0, 80).replace(/[ \t\n\v\f\r]+$/, '')}`
  }
  return ''
}
