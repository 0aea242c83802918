/** The weights of git's indent heuristic, tuned on human ratings: git's commit 433860f3d0. */
const weights = {
  startOfFile: 1,
  endOfFile: 21,
  totalBlank: -30,
  postBlank: 6,
  indent: [-4, 10],
  outdent: [24, 17],
  dedent: [23, 17],
  deeper: 60,
} as const

const maxBlanks = 20
const maxIndent = 200
/** The longest distance that a group is moved. */
const maxSlide = 100

interface Score {
  indent: number
  penalty: number
}

/** Returns the best end for a group of changed lines among its possible positions. */
export function bestEnd(
  lines: readonly string[],
  { size, earliest, latest }: { size: number; earliest: number; latest: number },
): number {
  let best: { end: number; score: Score } | undefined
  for (let end = Math.max(earliest, latest - size - 1, latest - maxSlide); end <= latest; end++) {
    const score = { indent: 0, penalty: 0 }
    addSplit(score, lines, end)
    addSplit(score, lines, end - size)
    if (best === undefined || compare(score, best.score) <= 0) best = { end, score }
  }
  return best?.end ?? latest
}

function compare(one: Score, other: Score): number {
  return weights.deeper * Math.sign(one.indent - other.indent) + one.penalty - other.penalty
}

/** Adds the penalty of a border before the line `at`. */
function addSplit(score: Score, lines: readonly string[], at: number): void {
  const own = at < lines.length ? indentOf(lines[at] ?? '') : -1
  const before = nextIndent(lines, at - 1, -1)
  const after = nextIndent(lines, at + 1, 1)
  if (before.indent === -1 && before.blanks === 0) score.penalty += weights.startOfFile
  if (at >= lines.length) score.penalty += weights.endOfFile
  const postBlank = own === -1 ? 1 + after.blanks : 0
  const blanks = before.blanks + postBlank
  score.penalty += weights.totalBlank * blanks + weights.postBlank * postBlank
  const indent = own === -1 ? after.indent : own
  score.indent += indent
  if (indent === -1 || before.indent === -1 || indent === before.indent) return
  const step = indent > before.indent ? 'indent' : after.indent > indent ? 'outdent' : 'dedent'
  score.penalty += weights[step][blanks === 0 ? 0 : 1]
}

/** Returns the indentation of the next line that is not blank, and the number of blank lines before it. */
function nextIndent(lines: readonly string[], from: number, step: 1 | -1) {
  let blanks = 0
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    const indent = indentOf(lines[at] ?? '')
    if (indent !== -1) return { indent, blanks }
    if (++blanks === maxBlanks) return { indent: 0, blanks }
  }
  return { indent: -1, blanks }
}

/** Returns the indentation in columns, or -1 for a blank line. */
function indentOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns++
    else if (character === '\t') columns += 8 - (columns % 8)
    else if (!/[\n\v\f\r]/.test(character)) return columns
    if (columns >= maxIndent) return maxIndent
  }
  return -1
}
