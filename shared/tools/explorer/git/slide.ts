import { bestEnd } from './indent.ts'

/**
 * The number of changed lines on one side before each common line, and after the last one. Both sides have the same
 * number of gaps.
 */
export type Gaps = number[]

/**
 * Moves each group of changed lines to git's choice among its equivalent positions: next to a change of the other side,
 * otherwise by the best indentation, git's default since 2.14.
 */
export function slideGroups(lines: readonly string[], gaps: Gaps, other: Readonly<Gaps>): void {
  let start = 0
  for (let at = 0; at < gaps.length; at++) {
    if ((gaps[at] ?? 0) > 0) ({ at, start } = slideGroup({ lines, gaps, other, at, start }))
    start += (gaps[at] ?? 0) + 1
  }
}

interface Group {
  lines: readonly string[]
  gaps: Gaps
  other: Readonly<Gaps>
  /** The group's gap and first line. */
  at: number
  start: number
}

function slideGroup(group: Group): Group {
  const { gaps, other, lines } = group
  const size = () => gaps[group.at] ?? 0
  const end = () => group.start + size()
  const hasPartner = () => (other[group.at] ?? 0) > 0
  let earliest = 0
  let partnered = false
  let before = -1
  // Adjacent groups merge, which can allow more positions.
  while (before !== size()) {
    before = size()
    while (moveUp(group));
    earliest = end()
    partnered = hasPartner()
    while (moveDown(group)) partnered ||= hasPartner()
  }
  if (end() === earliest) return group
  if (partnered) while (!hasPartner() && moveUp(group));
  else {
    const best = bestEnd(lines, { size: size(), earliest, latest: end() })
    while (end() > best && moveUp(group));
  }
  return group
}

function moveUp(group: Group): boolean {
  const { lines, gaps, at, start } = group
  const size = gaps[at] ?? 0
  if (start === 0 || lines[start - 1] !== lines[start + size - 1]) return false
  const met = gaps[at - 1] ?? 0
  gaps[at - 1] = met + size
  gaps[at] = 0
  group.at = at - 1
  group.start = start - 1 - met
  return true
}

function moveDown(group: Group): boolean {
  const { lines, gaps, at, start } = group
  const size = gaps[at] ?? 0
  if (start + size >= lines.length || lines[start] !== lines[start + size]) return false
  gaps[at + 1] = (gaps[at + 1] ?? 0) + size
  gaps[at] = 0
  group.at = at + 1
  group.start = start + 1
  return true
}
