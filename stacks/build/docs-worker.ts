/** Writes the API documents in a thread of its own, whose memory is gone when it ends. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import type { AnyRoute } from '../../shared/http/openapi/document.ts'
import type { DocumentsPlan } from './docs.ts'

const { root, docsDir, functionsDir, surfaces } = workerData as DocumentsPlan
const [{ openApiDocument }, { referencePage }] = await Promise.all([
  import('../../shared/http/openapi/document.ts'),
  import('../../shared/http/openapi/reference.ts'),
])

await mkdir(docsDir, { recursive: true })
for (const { surface, modules, system } of surfaces) {
  const loaded = await Promise.all(
    modules.map(
      async (path) =>
        (await import(pathToFileURL(join(root, path)).href)) as { routes: readonly AnyRoute[] },
    ),
  )
  // Relative, because a document is read from the surface that it describes, wherever that is.
  const document = openApiDocument(
    surface,
    '/',
    loaded.flatMap(({ routes }) => routes),
  )
  const [json, page] = [join(docsDir, `${surface}.json`), join(docsDir, `${surface}.html`)]
  await writeFile(json, `${JSON.stringify(document, null, 2)}\n`)
  await writeFile(page, await referencePage(document))
  if (system === undefined) continue
  await copyFile(json, join(functionsDir, system, 'openapi.json'))
  await copyFile(page, join(functionsDir, system, 'docs.html'))
}
