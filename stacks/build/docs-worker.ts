/** Writes the API documents in a thread, so that its memory is freed afterwards. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { workerData } from 'node:worker_threads'
import { brotliCompress, gzip } from 'node:zlib'
import type { DocumentsPlan } from './docs.ts'
import { fill, inScript } from './page.ts'

const { root, docsDir, functionsDir, surfaces, page } = workerData as DocumentsPlan
const [{ surfaceDocument }, { referenceData }] = await Promise.all([
  import('./surface-document.ts'),
  import('./reference/data.ts'),
])

await mkdir(docsDir, { recursive: true })
for (const { surface, modules, system } of surfaces) {
  const document = await surfaceDocument(root, surface, modules)
  const json = Buffer.from(`${JSON.stringify(document, null, 2)}\n`)
  const html = Buffer.from(
    fill(page.html, { data: inScript(await referenceData(surface, document)) }),
  )
  const files = { [`${surface}.json`]: json, [`${surface}.html`]: html }
  for (const [name, content] of Object.entries(files)) await writeFile(join(docsDir, name), content)
  if (system === undefined) continue
  const folder = join(functionsDir, system)
  // The function may be bundled later.
  await mkdir(folder, { recursive: true })
  await copyFile(join(docsDir, `${surface}.json`), join(folder, 'openapi.json'))
  await writeFile(join(folder, 'docs.policy'), page.policy)
  await copyFile(join(docsDir, `${surface}.html`), join(folder, 'docs.html'))
  // Precompressed, because nothing between these functions and their callers compresses.
  for (const [name, content] of [
    ['openapi.json', json],
    ['docs.html', html],
  ] as const) {
    await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content))
    await writeFile(join(folder, `${name}.gzip`), await promisify(gzip)(content, { level: 9 }))
  }
}
