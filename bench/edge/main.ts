/**
 * Measures the time from the start of workerd to a worker's first response, for every function that can run at the edge and
 * for the floor: an empty Hono worker. Interleaved, medians; `--quick` runs fewer rounds. Fails above 150 ms, or above six
 * times the floor on a machine so busy that the floor itself is slow.
 */
import { join } from 'node:path'
import { build } from 'esbuild'
import { functions } from '#shared/manifest/index.ts'
import { buildWorkers } from '#stacks/build/build.ts'
import { workerOptions } from '#stacks/build/options.ts'
import { startWorker } from '#tests/support/http/workerd.ts'
import { median } from '../budgets/measure.ts'

const root = join(import.meta.dirname, '../..')
const rounds = process.argv.includes('--quick') ? 5 : 15
const limitIdleMs = 150
const maxRatio = 6

/** The settings that workers need to start. No request goes to AWS before the first response. */
const settings = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  INTERNAL_API_KEY: 'bench-bench-bench-bench-bench-bench',
  WEB_URL: 'http://localhost:3000',
}

const floor = { name: 'floor', module: join(root, 'dist/bench/edge-floor.js') }
await build({
  ...workerOptions,
  stdin: {
    contents: `
import { Hono } from 'hono'
export default new Hono().all('*', (context) => context.json({}))`,
    resolveDir: root,
  },
  outfile: floor.module,
})
await buildWorkers({ functions, root, outDir: join(root, 'dist') })
const workers = functions
  .filter(({ edge }) => edge === true)
  .map(({ name }) => ({ name, module: join(root, 'dist/workers', name, 'index.js') }))

const measured = [floor, ...workers].map(({ name, module }) => ({
  name,
  module,
  ms: [] as number[],
}))
for (let round = 0; round < rounds; round++)
  for (const { name, module, ms } of measured) ms.push(await firstAnswerMs(name, module))

const floorMs = median(measured[0]?.ms ?? [])
const limitMs = Math.max(limitIdleMs, maxRatio * floorMs)
const lines = measured.map(({ name, ms }) => {
  const value = median(ms)
  if (value > limitMs) process.exitCode = 1
  const over = value > limitMs ? '  OVER' : ''
  return `${name.padEnd(28)}${value.toFixed(0).padStart(6)} ms${(value / floorMs).toFixed(2).padStart(8)}${over}`
})
process.stdout.write(
  `from workerd's start to the first answer, and as a ratio to the floor; medians of ${rounds}, limit ${limitMs.toFixed(0)} ms\n${lines.join('\n')}\n`,
)

/** Any response counts, even a 404, because the whole bundle has run by then. */
async function firstAnswerMs(name: string, module: string): Promise<number> {
  const startedAt = performance.now()
  const worker = await startWorker(module, { ...settings, FUNCTION_NAME: name })
  try {
    await (await fetch(worker.url)).arrayBuffer()
    return performance.now() - startedAt
  } finally {
    await worker.close()
  }
}
