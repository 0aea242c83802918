import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutputCeiling } from './ceiling.ts'

/** Returns the output of a ceiling with the second of each piece, for chunks that are written at given seconds. */
async function passed(chunks: readonly { second: number; text: string }[]) {
  let second = 0
  const ceiling = new OutputCeiling(() => second * 1000)
  const out: { second: number; text: string }[] = []
  ceiling.on('data', (bytes: Buffer) => void out.push({ second, text: bytes.toString() }))
  for (const chunk of chunks) {
    second = chunk.second
    await new Promise((resolve) => ceiling.write(chunk.text, resolve))
  }
  await new Promise((resolve) => ceiling.end(resolve).on('end', resolve))
  return out
}

const textOf = (out: readonly { text: string }[]) => out.map(({ text }) => text).join('')

it('changes nothing of what stays within a million bytes a minute', async () => {
  const chunks = Array.from({ length: 600 }, (_, second) => ({
    second,
    text: `${second} ${'x'.repeat(7000)}\n`,
  }))
  expect(textOf(await passed(chunks))).toBe(textOf(chunks))
})

it('lets no minute have more than a million bytes, and goes on with whole lines', async () => {
  const chunk = fc.record({ after: fc.nat({ max: 40 }), lines: fc.integer({ min: 1, max: 900 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { minLength: 1, maxLength: 20 }), async (plan) => {
      let second = 0
      const out = await passed(
        plan.map(({ after, lines }) => {
          second += after
          return { second, text: `${'y'.repeat(999)}\n`.repeat(lines) }
        }),
      )
      for (const { second: from } of out) {
        const minute = out.filter((one) => one.second >= from && one.second < from + 60)
        expect(textOf(minute).length).toBeLessThanOrEqual(1_000_000)
      }
      for (const line of textOf(out).split('\n').slice(0, -1))
        expect(line).toMatch(/^y{0,999}$|^\d+ bytes that OpenClaw printed are left out/)
    }),
    { numRuns: 50 },
  )
})

it('says how much is left out, and begins again once there is room', async () => {
  const flood = `${'z'.repeat(99)}\n`.repeat(10_000)
  const text = textOf(
    await passed([
      { second: 0, text: flood },
      { second: 1, text: 'unheard\n' },
      { second: 60, text: 'the rest of a line\nheard\n' },
    ]),
  )
  const leftOut = 1_000_000 - 512 * 1024 + 'unheard\nthe rest of a line\n'.length
  expect(text.slice(512 * 1024)).toBe(
    `\n${leftOut} bytes that OpenClaw printed are left out: a minute takes a million\nheard\n`,
  )
})

it('keeps the last lines, which say why OpenClaw ended', async () => {
  const flood = `${'z'.repeat(99)}\n`.repeat(20_000)
  const out = await passed([
    { second: 0, text: flood },
    { second: 1, text: 'it ends: out of memory\n' },
  ])
  expect(textOf(out)).toMatch(/left out[^\n]*\n(z{99}\n)+it ends: out of memory\n$/)
})
