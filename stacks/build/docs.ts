import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FunctionSpec, Surface } from '../../shared/manifest/index.ts'
import { recordName } from './cache.ts'

/** What the documents of each surface are made from and where they go; all paths absolute but `modules`. */
export interface DocumentsPlan {
  root: string
  docsDir: string
  functionsDir: string
  surfaces: {
    surface: Surface
    /** From the root: the modules that export the `routes` of each of the surface's functions. */
    modules: string[]
    /** The function that serves the documents; they are copied beside its bundle. */
    system: string | undefined
  }[]
}

export interface DocumentsOptions {
  functions: readonly FunctionSpec[]
  root: string
  docsDir: string
  /** Where the functions were bundled to. */
  functionsDir: string
}

/** Writes `<surface>.json` and `<surface>.html` for every surface, unless they are still good. */
export async function buildDocuments(options: DocumentsOptions): Promise<boolean> {
  const { functions, root, docsDir, functionsDir } = options
  const http = functions.flatMap(({ name, entry, trigger }) =>
    trigger.kind === 'http' ? [{ name, entry, surface: trigger.surface }] : [],
  )
  const surfaces = [...new Set(http.map(({ surface }) => surface))].map((surface) => ({
    surface,
    modules: http.filter((each) => each.surface === surface).map(({ entry }) => entry),
    system: http.find(({ name }) => name === `${surface}-system`)?.name,
  }))
  const written = surfaces.flatMap(({ surface, system }) => [
    join(docsDir, `${surface}.json`),
    ...(system === undefined ? [] : [join(functionsDir, system, 'openapi.json')]),
  ])
  const keyFile = join(docsDir, '.key')
  const key = await sourcesKey(root, functionsDir)
  const known = await readFile(keyFile, 'utf8').catch(() => '')
  if (known === key && written.every((path) => existsSync(path))) return false
  await run({ root, docsDir, functionsDir, surfaces })
  await writeFile(keyFile, key)
  return true
}

/** Changes with any function, whose routes may have changed, and with the code that writes the documents. */
async function sourcesKey(root: string, functionsDir: string): Promise<string> {
  const dir = join(root, 'shared/http/openapi')
  const hash = createHash('sha256').update(await readFile(join(functionsDir, recordName)))
  const sources = (await readdir(dir)).sort().map((name) => join(dir, name))
  for (const path of sources) hash.update(await readFile(path))
  return hash.digest('hex')
}

async function run(workerData: DocumentsPlan): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const worker = new Worker(new URL('./docs-worker.ts', import.meta.url), {
      workerData,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.once('error', reject)
    worker.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the documents' writer exited with ${code}`)),
    )
  })
}
