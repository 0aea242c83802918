import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import { buildPage, type HtmlPage } from './page.ts'
import type { SurfaceName } from './reference/curl.ts'
import { modulesOf } from './surface-document.ts'

/** The inputs and outputs of the API documents. All paths are absolute, except `modules`. */
export interface DocumentsPlan {
  root: string
  docsDir: string
  functionsDir: string
  /** The reference page without data. */
  page: HtmlPage
  surfaces: {
    surface: SurfaceName
    /** The modules that export the `routes` of the surface's functions, relative to the root. */
    modules: string[]
    /** The function that serves the documents. They are copied into its bundle's folder. */
    system: string | undefined
  }[]
}

export interface DocumentsOptions {
  functions: readonly FunctionSpec[]
  root: string
  docsDir: string
  /** The folder of the functions' bundles. */
  functionsDir: string
}

/** The paths of the documents, which each surface's system function serves. */
export const documentPaths = ['/openapi.json', '/docs']

/** Writes `<surface>.json` and `<surface>.html` for every surface, unless they are up to date. */
export async function buildDocuments(options: DocumentsOptions): Promise<boolean> {
  const { functions, root, docsDir, functionsDir } = options
  const http = functions.flatMap(({ name, trigger }) =>
    trigger.kind === 'http' ? [{ name, surface: trigger.surface }] : [],
  )
  const surfaces = [...new Set<Surface>(http.map(({ surface }) => surface))].map((surface) => ({
    surface,
    modules: modulesOf(functions, surface),
    system: http.find(({ name }) => name === `${surface}-system`)?.name,
  }))
  const written = surfaces.flatMap(({ surface, system }) => [
    join(docsDir, `${surface}.json`),
    ...(system === undefined ? [] : [join(functionsDir, system, 'docs.html.gzip')]),
  ])
  const keyFile = join(docsDir, '.key')
  const key = await sourcesKey(root)
  const known = await readFile(keyFile, 'utf8').catch(() => '')
  if (known === key && written.every((path) => existsSync(path))) return false
  const page = await buildPage(root, 'console/pages/reference')
  await run({ root, docsDir, functionsDir, surfaces, page })
  await writeFile(keyFile, key)
  return true
}

/** The sources of the routes, of the documents and of their page. */
const sourceFolders = [
  'functions',
  'shared',
  'stacks/build',
  'clients',
  'console/base',
  'console/pages',
  'console/styles',
  'console/ui',
]

async function sourcesKey(root: string): Promise<string> {
  const folders = sourceFolders.map((dir) =>
    readdir(join(root, dir), { recursive: true, withFileTypes: true }),
  )
  const paths = (await Promise.all(folders))
    .flat()
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
  const hash = createHash('sha256')
  for (const content of await Promise.all(
    [join(root, 'package-lock.json'), ...paths].map((path) => readFile(path)),
  ))
    hash.update(content)
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
