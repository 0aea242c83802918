import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** What the client may weigh, compressed: a page loads it before it shows anything. */
const mostBytes = 8 * 1024

/** The size of the client in dist, as gzip's best makes it, in bytes. */
export async function clientSize(root: string): Promise<{ zippedBytes: number; over: boolean }> {
  const file = await readFile(join(root, 'dist/clients/typescript/index.js'))
  const { length: zippedBytes } = await promisify(gzip)(file, { level: 9 })
  return { zippedBytes, over: zippedBytes > mostBytes }
}
