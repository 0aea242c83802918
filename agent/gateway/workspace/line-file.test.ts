import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendLines, readFirstLine, readLastLines } from './line-file.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'line-file-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

const everything = 1_000_000

test('an append may be truncated at any byte: earlier lines stay readable and the next append succeeds', async () => {
  const path = join(folder, 'lines')
  const line = fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      line,
      fc.nat(),
      async (lines, next, at) => {
        await rm(path, { force: true })
        for (const value of lines) await appendLines(path, [value], 'first')
        const whole = await readFile(path)
        const cut = at % (whole.length + 1)
        await truncate(path, cut)
        const survivors = whole.subarray(0, cut).toString('utf8').split('\n').length - 1

        await appendLines(path, [next], 'first')
        const expected = ['first', ...lines].slice(0, survivors)
        expect(await readLastLines(path, everything)).toEqual([
          ...(survivors === 0 ? ['first'] : expected),
          next,
        ])
        expect(await readFirstLine(path)).toBe('first')
      },
    ),
    { numRuns: 60 },
  )
})

test('reads at most the requested number of lines, and no partial line', async () => {
  const path = join(folder, 'lines')
  await appendLines(path, ['aaaa', 'bbbb', 'cccc'], 'first')
  // Each of the three takes seven bytes with its quotes and its line break.
  expect(await readLastLines(path, 20)).toEqual(['bbbb', 'cccc'])
  expect(await readLastLines(path, 3)).toEqual([])
  expect(await readLastLines(join(folder, 'none'), 100)).toEqual([])
})

test('finds the end of the last complete line before a long truncated one', async () => {
  const path = join(folder, 'lines')
  await writeFile(path, `"first"\n"é${'x'.repeat(300_000)}`)
  await appendLines(path, ['next'], 'first')
  expect(await readFile(path, 'utf8')).toBe('"first"\n"next"\n')
})
