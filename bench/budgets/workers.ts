import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build } from 'esbuild'
import { functions } from '#shared/manifest/index.ts'
import { workerOptions } from '#stacks/build/options.ts'

/** Cloudflare's limit for the compressed size of a worker on the free plan. */
const maxBytes = 3 * 1024 * 1024

interface WorkerSize {
  name: string
  bytes: number
  zippedBytes: number
  /** The size relative to the floor. */
  ratio: number
  over: boolean
}

/** Returns the sizes of the workers in dist, relative to the same floor as for functions. */
export async function workerSizes(root: string, floorEntry: string): Promise<WorkerSize[]> {
  const outfile = join(root, 'dist/bench/floor-worker.js')
  await build({ ...workerOptions, entryPoints: [floorEntry], outfile })
  const { length: floor } = await readFile(outfile)
  return Promise.all(
    functions
      .filter(({ edge }) => edge === true)
      .map(async ({ name, budget }) => {
        const bundle = await readFile(join(root, 'dist/workers', name, 'index.js'))
        const { length: zippedBytes } = await promisify(gzip)(bundle)
        const ratio = bundle.length / floor
        const over = ratio > (budget === 'hot' ? 1.25 : 2) || zippedBytes > maxBytes
        return { name, bytes: bundle.length, zippedBytes, ratio, over }
      }),
  )
}
