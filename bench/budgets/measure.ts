import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { queues, queueVariable } from '#shared/manifest/index.ts'

/** Loads a bundle as Lambda does and prints the duration in milliseconds. */
const probe = `
globalThis.awslambda = { streamifyResponse: (handler) => handler }
const started = process.hrtime.bigint()
require(process.argv[1])
process.stdout.write(String(Number(process.hrtime.bigint() - started) / 1e6))
process.exit(0)
`

export interface Sample {
  name: string
  file: string
  /** The milliseconds of each run. */
  imports: number[]
  bytes: number
}

/** The variables that consumers read at import. */
const queueUrls = Object.fromEntries(
  queues.map(({ name }) => [queueVariable(name), `http://127.0.0.1/${name}`]),
)

/** Imports a bundle once in its own process. Returns milliseconds. */
async function importOnce(file: string): Promise<number> {
  const env = { PATH: process.env.PATH, AWS_REGION: 'us-east-1', ...queueUrls }
  const running = promisify(execFile)(process.execPath, ['-e', probe, file], { env })
  const { stdout } = await running.catch(({ stderr }: { stderr: string }) => {
    // Node prints the source line first, and a minified bundle is one long line, so the error is at the end.
    throw new Error(`${file} does not load: ${stderr.slice(-2000)}`)
  })
  return Number(stdout)
}

/**
 * Imports every bundle `rounds` times in turn, so that a slow moment of the machine affects all of them.
 * @param lanes how many run at a time; all bundles, including the floor, then share the machine
 */
export async function measure(
  bundles: readonly { name: string; file: string }[],
  rounds: number,
  lanes: number,
): Promise<Sample[]> {
  const samples = bundles.map(({ name, file }) => ({
    name,
    file,
    imports: [] as number[],
    // Reading it also warms up the file cache.
    bytes: readFileSync(file).length,
  }))
  for (let round = 0; round < rounds; round++) {
    const waiting = samples.values()
    const lane = async () => {
      for (const sample of waiting) {
        sample.imports.push(await importOnce(sample.file))
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
  return samples
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}
