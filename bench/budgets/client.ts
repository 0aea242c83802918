import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** The maximum compressed size of the client. A page loads it before it shows anything. */
const maxBytes = 8 * 1024

/** Returns the size of the client in dist at gzip's best level, in bytes. */
export async function clientSize(root: string): Promise<{ zippedBytes: number; over: boolean }> {
  const file = await readFile(join(root, 'dist/clients/typescript/index.js'))
  const { length: zippedBytes } = await promisify(gzip)(file, { level: 9 })
  return { zippedBytes, over: zippedBytes > maxBytes }
}
