import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build } from 'esbuild'
import { functions } from '../../shared/manifest/index.ts'
import { workerOptions } from '../../stacks/build/options.ts'

/** Cloudflare's bound for a worker, compressed, of accounts that pay nothing. */
const mostBytes = 3 * 1024 * 1024

interface WorkerSize {
  name: string
  bytes: number
  zippedBytes: number
  /** Bytes as a multiple of the floor's. */
  ratio: number
  over: boolean
}

/** The sizes of the workers in dist, beside the same floor as that of the functions. */
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
        const over = ratio > (budget === 'hot' ? 1.25 : 2) || zippedBytes > mostBytes
        return { name, bytes: bundle.length, zippedBytes, ratio, over }
      }),
  )
}
