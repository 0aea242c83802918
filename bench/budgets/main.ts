/**
 * Measures the two causes of cold starts, import time and size, of every function relative to the floor bundle in the
 * same run. Fails if a function is over its budget: `allowed`. The floor contains the unmodified AWS SDK, so what the build
 * removes from functions counts as a gain. The console's pages have budgets in bytes. Arguments select functions by
 * name, and the console's pages by `console`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type FunctionSpec, functions } from '#shared/manifest/index.ts'
import { bundleOptions } from '#stacks/build/options.ts'
import { clientSize } from './client.ts'
import { consoleSizes, type PageSize } from './console.ts'
import { measure, median, type Sample } from './measure.ts'
import { workerSizes } from './workers.ts'

const root = join(import.meta.dirname, '../..')
const allowed: Record<FunctionSpec['budget'], number> = {
  light: 1,
  hot: 1.25,
  standard: 2,
}
const rounds = 9
/** The rounds after which a bundle passes if it is far below its budget. Any other bundle is measured in all rounds. */
const firstRounds = 3
/** A bundle over its budget passes this limit only if two of three ratios are a quarter too low. */
const clearlyBelow = 0.75
/** The number of cores of a small machine. */
const lanes = 2

if (!existsSync(join(root, 'dist/functions'))) {
  process.stderr.write('there is no build to measure: run npm run build first\n')
  process.exit(2)
}

const names = process.argv.slice(2)
const isSelected = (name: string): boolean => names.length === 0 || names.includes(name)
const selected = functions.filter(({ name }) => isSelected(name))
const unknown = names.filter(
  (name) => name !== 'console' && !selected.some((one) => one.name === name),
)
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; select functions by name, or console\n`)
  process.exit(2)
}

const floorFile = join(root, 'dist/bench/floor.cjs')
const floorBundle = { name: 'floor', file: floorFile }

const judged: { over: boolean }[] = []
if (selected.length > 0) judged.push(...(await measureFunctions()))
if (names.length === 0) {
  const workers = await workerSizes(root, join(root, 'bench/budgets/floor.ts'))
  reportWorkers(workers)
  const client = await clientSize(root)
  process.stdout.write(
    `\nthe client: ${client.zippedBytes} of 8192 bytes, gzipped${client.over ? '  OVER' : ''}\n`,
  )
  judged.push(...workers, client)
}
if (isSelected('console')) {
  const pages = await consoleSizes(root)
  reportPages(pages)
  judged.push(...pages)
}
process.exitCode = judged.some(({ over }) => over) ? 1 : 0

async function measureFunctions(): Promise<Row[]> {
  await build({
    ...bundleOptions,
    entryPoints: [join(root, 'bench/budgets/floor.ts')],
    outfile: floorFile,
  })
  const { floor, rows: firstRows } = await compare(
    selected.map(({ name, budget }) => ({
      name,
      budget,
      file: join(root, 'dist/functions', name, 'index.cjs'),
    })),
    firstRounds,
  )
  const unclear = firstRows.filter(({ time, budget }) => time > clearlyBelow * allowed[budget])
  const { rows: closerRows } = await compare(unclear, rounds)
  const rows: Row[] = []
  for (const first of firstRows) {
    const closer = closerRows.find(({ name }) => name === first.name) ?? first
    rows.push(closer.time > allowed[closer.budget] ? await again(closer) : closer)
  }
  report(floor, rows)
  return rows
}

type Row = ReturnType<typeof row>

/** Measures bundles in turn with the floor. */
async function compare(
  bundles: readonly (Pick<Sample, 'name' | 'file'> & Pick<FunctionSpec, 'budget'>)[],
  times: number,
) {
  const [base, ...samples] = await measure([floorBundle, ...bundles], times, lanes)
  if (base === undefined) throw new Error('the floor was not measured')
  const compared = samples.map((sample, i) => row(sample, base, bundles[i]?.budget ?? 'standard'))
  return { floor: base, rows: compared }
}

function row(
  sample: Sample,
  base: Sample,
  budget: FunctionSpec['budget'],
  ratios = ratiosOf(sample, base),
) {
  const time = median(ratios)
  const size = sample.bytes / base.bytes
  return { ...sample, budget, time, size, over: time > allowed[budget] || size > allowed[budget] }
}

/** Returns the ratio of each round, so that a slow phase of the machine affects both sides. */
function ratiosOf(sample: Sample, base: Sample): number[] {
  if (sample.imports.length !== base.imports.length) throw new Error('rounds are missing')
  return sample.imports.map((ms, round) => ms / (base.imports[round] ?? Number.NaN))
}

/**
 * Measures a bundle again before it is judged, because a busy machine affects bundles unequally. On an idle machine, medians
 * of 45 rounds still varied by 10 %, and medians of the ratios of 40 rounds by 2.5 %. After 45 rounds, a bundle that is more
 * than that below its budget passes; any other is judged after three times as many.
 */
async function again({ budget, ...sample }: Row): Promise<Row> {
  const closer = [floorBundle, sample]
  const look = async (times: number, before: readonly number[]) => {
    const [base, own] = await measure(closer, times * rounds, 1)
    if (base === undefined || own === undefined) throw new Error('nothing was measured')
    const ratios = [...before, ...ratiosOf(own, base)]
    return { ratios, judged: row(own, base, budget, ratios) }
  }
  const { ratios, judged } = await look(5, [])
  const isClear = judged.time <= allowed[budget] * (1 - 1 / 40)
  return isClear ? judged : (await look(10, ratios)).judged
}

function report(base: Sample, measured: readonly Row[]): void {
  const lines = [
    `import and size as ratios to the floor (${median(base.imports).toFixed(1)} ms, ${kilobytes(base)} KB); medians of ${firstRounds} interleaved rounds, or of ${rounds} near the budget`,
    columns(['function', 'budget', 'import ms', 'ratio', 'KB', 'ratio']),
    ...measured.map((one) =>
      columns([
        one.name,
        `${one.budget} ${allowed[one.budget]}`,
        median(one.imports).toFixed(1),
        one.time.toFixed(2),
        kilobytes(one),
        `${one.size.toFixed(2)}${one.over ? '  OVER' : ''}`,
      ]),
    ),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function reportWorkers(sizes: Awaited<ReturnType<typeof workerSizes>>): void {
  const lines = [
    '\nthe same as workers, as ratios to the floor bundled as one',
    columns(['worker', 'KB', 'ratio', 'KB gzipped']),
    ...sizes.map((size) =>
      columns([
        size.name,
        kilobytes(size),
        `${size.ratio.toFixed(2)}${size.over ? '  OVER' : ''}`,
        kilobytes({ bytes: size.zippedBytes }),
      ]),
    ),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function reportPages(pages: Awaited<ReturnType<typeof consoleSizes>>): void {
  const lines = [
    '\nthe console, all files of a page gzipped',
    columns(['page', 'bytes', 'recorded', 'limit', 'cap']),
    ...pages.map(({ name, gzipBytes, baseline, limit, cap, over }) =>
      columns([
        name,
        String(gzipBytes),
        String(baseline),
        String(limit),
        `${cap}${over ? '  OVER' : ''}`,
      ]),
    ),
    ...pages.filter(({ over }) => over).map(adviceFor),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function adviceFor({ name, gzipBytes, limit, cap }: PageSize): string {
  const fault = `OVER: ${name} is ${gzipBytes - limit} bytes over its limit. Make it smaller`
  return gzipBytes > cap
    ? fault
    : `${fault}; or, if a new feature needs them, record ${gzipBytes} in bench/budgets/console.json`
}

function kilobytes({ bytes }: { bytes: number }): string {
  return (bytes / 1024).toFixed(0)
}

function columns(cells: string[]): string {
  const [first = '', ...rest] = cells
  return first.padEnd(24) + rest.map((cell) => cell.padStart(15)).join('')
}
