import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutputBudget } from './budget.ts'
import { LimitedLines, longestLine } from './lines.ts'

/** Returns the printed output with its second, for chunks that are written at given seconds. */
function printed(chunks: readonly { second: number; text: string | Buffer }[]) {
  let second = 0
  const budget = new OutputBudget(() => second * 1000)
  const lines = new LimitedLines(budget)
  const out = chunks.map((chunk) => {
    second = chunk.second
    return { second, text: lines.write(Buffer.from(chunk.text)).toString() }
  })
  return { out: [...out, { second, text: lines.end().toString() }], budget }
}

const textOf = (out: readonly { text: string }[]) => out.map(({ text }) => text).join('')
const linesOf = (text: string) => text.split('\n').slice(0, -1)
const note =
  /^(\d+) lines \((\d+) bytes\) were dropped: the limit per minute is 1,200 lines and a million/

it('keeps all output within the limits of a minute', () => {
  const chunks = Array.from({ length: 600 }, (_, second) => ({
    second,
    text: `${second} ${'x'.repeat(7000)}\n`,
  }))
  const { out, budget } = printed(chunks)
  expect(textOf(out)).toBe(textOf(chunks))
  expect(budget.totals).toEqual({ lines: 600, bytes: textOf(chunks).length, dropped: 0 })
})

it('prints at most 1,200 lines and a million bytes per minute, and counts the dropped lines', () => {
  const chunk = fc.record({
    after: fc.nat({ max: 40 }),
    lines: fc.integer({ min: 1, max: 900 }),
    length: fc.constantFrom(0, 3, 999, 20_000),
  })
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 20 }), (plan) => {
      let second = 0
      const { out, budget } = printed(
        plan.map(({ after, lines, length }) => {
          second += after
          return { second, text: `${'y'.repeat(length)}\n`.repeat(lines) }
        }),
      )
      for (const { second: from } of out) {
        const minute = textOf(out.filter((one) => one.second >= from && one.second < from + 60))
        expect(Buffer.byteLength(minute)).toBeLessThanOrEqual(1_000_000)
        expect(linesOf(minute).length).toBeLessThanOrEqual(1200)
      }
      const all = linesOf(textOf(out))
      for (const line of all) expect(line).toMatch(/^y*$|^y{8192} … \d+ bytes cut$|were dropped/)
      const dropped = all.reduce((sum, line) => sum + Number(note.exec(line)?.[1] ?? 0), 0)
      const isNote = (line: string) => note.test(line)
      const written = plan.reduce((sum, { lines }) => sum + lines, 0)
      expect(all.filter((line) => !isNote(line)).length + dropped).toBe(written)
      expect(budget.totals.lines).toBe(all.length)
      expect(budget.totals.dropped).toBe(dropped)
    }),
    { numRuns: 50 },
  )
})

it('resumes with whole lines after the limit, after one line with the number of dropped lines', () => {
  const { out } = printed([
    { second: 0, text: 'z\n'.repeat(600) },
    { second: 1, text: 'unheard\n' },
    { second: 60, text: 'heard\n' },
  ])
  expect(linesOf(textOf(out)).slice(500)).toEqual([
    '101 lines (208 bytes) were dropped: the limit per minute is 1,200 lines and a million bytes',
    'heard',
  ])
})

it('truncates a line that is too long or never ends, without splitting a character', () => {
  const long = `${'x'.repeat(longestLine - 1)}€tail`
  const chunks = [...long].map((text) => ({ second: 0, text }))
  const { out } = printed([...chunks, { second: 0, text: '\nnext\n' }])
  expect(textOf(out)).toBe(`${'x'.repeat(longestLine - 1)} … 6 bytes cut\nnext\n`)
  const endless = printed(Array.from({ length: 300 }, () => ({ second: 0, text: 'a'.repeat(999) })))
  expect(textOf(endless.out)).toBe(
    `${'a'.repeat(longestLine)} … ${300 * 999 - longestLine} bytes cut\n`,
  )
})

it('prints the last of the dropped lines, which say why a program ended', () => {
  const { out } = printed([
    { second: 0, text: `${'z'.repeat(99)}\n`.repeat(20_000) },
    { second: 1, text: 'it ends: out of memory\n' },
  ])
  expect(textOf(out)).toMatch(/were dropped[^\n]*\n(z{99}\n)+it ends: out of memory\n$/)
})

it('prints the last of the dropped lines even if it is longer than the kept output', () => {
  const { out } = printed([
    { second: 0, text: `${'z'.repeat(99)}\n`.repeat(20_000) },
    { second: 1, text: `it ends: ${'x'.repeat(9000)}\n` },
  ])
  expect(textOf(out)).toMatch(/were dropped[^\n]*\nit ends: x+ … 817 bytes cut\n$/)
})
