/**
 * `npm run api`: stores the documents of the last build as the reference for breaking changes, and generates the types and
 * operations of the client.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { surfaces } from '#shared/manifest/index.ts'
import { writeClient } from '../client/write-client.ts'
import { breakingChanges } from './breaking.ts'
import { type ApiDocument, writeDocument } from './document.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'docs/api')

async function read(path: string): Promise<ApiDocument> {
  return JSON.parse(await readFile(path, 'utf8')) as ApiDocument
}

await mkdir(folder, { recursive: true })
for (const surface of surfaces) {
  const path = join(folder, `${surface}.json`)
  const now = await read(join(root, 'dist/docs', `${surface}.json`))
  const before = await read(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return now
  })
  const breaking = breakingChanges(before, now)
  for (const change of breaking) process.stderr.write(`${surface}: ${change}\n`)
  if (breaking.length > 0 && !process.argv.includes('--breaking')) {
    process.stderr.write('These break clients; to keep them: npm run api -- --breaking\n')
    process.exitCode = 1
    continue
  }
  await writeFile(path, writeDocument(now))
  if (surface !== 'web') continue
  for (const [name, text] of Object.entries(writeClient(now)))
    await writeFile(join(root, 'clients/typescript/generated', name), text)
}
