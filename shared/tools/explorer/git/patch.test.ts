import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Random, randomFrom } from '#tests/faults/world/random.ts'
import { patchOf } from './patch.ts'
import { blobId } from './work-file.ts'

const dir = mkdtempSync(join(tmpdir(), 'patch-'))
afterAll(() => rmSync(dir, { recursive: true }))

type Pair = [before: string, after: string]

/** Generates code and a change to it: functions with blank lines between them, whole blocks added and removed. */
function codePair(chance: Random): Pair {
  const block = () => {
    const name = `f${chance.below(1000)}`
    const body = Array.from({ length: 1 + chance.below(5) }, () => `  call${chance.below(30)}()`)
    return [`function ${name}() {`, ...body, '}', '']
  }
  const blocks = Array.from({ length: 5 + chance.below(20) }, block)
  const changed = blocks.flatMap((lines) => {
    if (chance.percent(8)) return []
    if (chance.percent(8)) return [lines, block()]
    if (!chance.percent(15)) return [lines]
    const at = chance.below(lines.length)
    return [lines.with(at, `  changed${chance.below(1000)}()`)]
  })
  return [text(blocks.flat(), chance), text(changed.flat(), chance)]
}

/** Generates lines with many duplicates in any order, the hardest case for a comparison. */
function noisePair(chance: Random): Pair {
  const line = () => chance.pick(['a', 'b', 'c', '', '  d'])
  const before = Array.from({ length: chance.below(25) }, line)
  const after = before.flatMap((one) =>
    chance.percent(12) ? [] : chance.percent(12) ? [one, line()] : [one],
  )
  return [text(before, chance), text(after, chance)]
}

function text(lines: string[], chance: Random): string {
  return lines.length === 0 ? '' : lines.join('\n') + (chance.percent(80) ? '\n' : '')
}

function sideOf(content: string) {
  return { mode: 0o100644, oid: blobId(Buffer.from(content)), content: Buffer.from(content) }
}

const ours = ([before, after]: Pair, i: number) =>
  before === after ? '' : patchOf(`file${i}`, sideOf(before), sideOf(after))

/** Returns git's output for each pair. */
function fromGit(pairs: Pair[]): string[] {
  const place = mkdtempSync(join(dir, 'pairs-'))
  for (const side of ['a', 'b']) mkdirSync(join(place, side))
  for (const [i, [before, after]] of pairs.entries()) {
    writeFileSync(join(place, 'a', `file${i}`), before)
    writeFileSync(join(place, 'b', `file${i}`), after)
  }
  const { stdout } = spawnSync(
    'git',
    ['-c', 'core.abbrev=7', 'diff', '--no-index', '--no-prefix', 'a', 'b'],
    {
      cwd: place,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  const patches = new Map<string, string>()
  for (const patch of stdout.split(/^(?=diff --git )/m))
    patches.set(/^diff --git a\/(\S+)/.exec(patch)?.[1] ?? '', patch)
  return pairs.map((_, i) => patches.get(`file${i}`) ?? '')
}

const pairsOf = (make: (chance: Random) => Pair, seed: number, count: number) => {
  const chance = randomFrom(seed)
  return Array.from({ length: count }, () => make(chance))
}

it('at least 395 of 400 patches of code equal git’s exactly', () => {
  const pairs = pairsOf(codePair, 1, 400)
  const expected = fromGit(pairs)
  const other = pairs.filter((pair, i) => ours(pair, i) !== expected[i])
  expect(other.length).toBeLessThanOrEqual(5)
})

describe('a patch of random text', () => {
  const pairs = pairsOf(noisePair, 2, 400)

  it('is as short as git’s, git applies it, and at least 387 of 400 are equal', () => {
    const expected = fromGit(pairs)
    const changed = (patch = '') =>
      patch.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line)).length
    const place = mkdtempSync(join(dir, 'apply-'))
    const patch = pairs.map(ours).join('')
    for (const [i, [before]] of pairs.entries()) writeFileSync(join(place, `file${i}`), before)
    execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: place, input: patch })
    const other = pairs.filter((pair, i) => ours(pair, i) !== expected[i])
    expect(other.length).toBeLessThanOrEqual(13)
    for (const [i, pair] of pairs.entries()) {
      expect(changed(ours(pair, i))).toBeLessThanOrEqual(changed(expected[i]))
    }
  })
})
