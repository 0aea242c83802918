/**
 * `npm run api`: writes the API documents from the routes, as the reference for breaking changes, and generates the types
 * and operations of the client.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { functions, surfaces } from '#shared/manifest/index.ts'
import { writeClient } from '../client/write-client.ts'
import { writeCatalogue } from '../skills.ts'
import { modulesOf, surfaceDocument } from '../surface-document.ts'
import { breakingChanges } from './breaking.ts'
import { type ApiDocument, writeDocument } from './document.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'docs/api')

const asJson = (document: unknown) => JSON.parse(JSON.stringify(document)) as ApiDocument

await writeCatalogue(root)
await mkdir(folder, { recursive: true })
for (const surface of surfaces) {
  const path = join(folder, `${surface}.json`)
  const now = asJson(await surfaceDocument(root, surface, modulesOf(functions, surface)))
  const before = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as ApiDocument,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return now
    },
  )
  const breaking = breakingChanges(before, now)
  for (const change of breaking) process.stderr.write(`${surface}: ${change}\n`)
  if (breaking.length > 0 && !process.argv.includes('--breaking')) {
    process.stderr.write(
      'These changes break clients. If that is intended, run: npm run api -- --breaking\n',
    )
    process.exitCode = 1
    continue
  }
  await writeFile(path, writeDocument(now))
  if (surface !== 'web') continue
  for (const [name, text] of Object.entries(writeClient(now)))
    await writeFile(join(root, 'clients/typescript/generated', name), text)
}
