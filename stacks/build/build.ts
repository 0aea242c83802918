import { join } from 'node:path'
import type { FunctionSpec } from '../../shared/manifest/index.ts'
import { bundleFunctions } from './bundle.ts'
import { service, worker } from './carriage.ts'
import { buildClients } from './clients.ts'
import { buildConsole } from './console.ts'
import { buildDocuments } from './docs.ts'
import { writePage } from './page.ts'
import { writeCatalogue } from './skills.ts'

export interface BuildOptions {
  functions: readonly FunctionSpec[]
  /** The repository. */
  root: string
  /** Gets `functions/<name>/index.cjs`, `workers/<name>/index.js`, `services/<name>/index.cjs`, `clients/`, `console/` and `docs/<surface>.{json,html}`. */
  outDir: string
  /** Without the API documents. */
  documents?: boolean
  /** Called before functions are bundled, with how many; not where all are still good. */
  onBundling?: ((functions: number) => void) | undefined
}

export interface BuildResult {
  functionsDir: string
  /** Holds `<name>/index.cjs` of every function that may be a service. */
  servicesDir: string
  consoleDir: string
  /** Names of the functions that were bundled anew. */
  built: string[]
  documentsBuilt: boolean
  milliseconds: number
}

/** Makes everything that is deployed or run from the sources; what did not change since the last time is kept. */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const startedAt = performance.now()
  const { functions, root, outDir, onBundling } = options
  const functionsDir = join(outDir, 'functions')
  await writeCatalogue(root)
  const { built } = await bundleFunctions({ functions, root, outDir: functionsDir, onBundling })
  await buildWorkers(options)
  await buildServices(options)
  await buildClients(root, join(outDir, 'clients'))
  const consoleDir = join(outDir, 'console')
  await buildConsole(root, consoleDir)
  await writePage(root, 'console/pages/agent', join(root, 'agent/gateway/page'))
  const documentsBuilt =
    options.documents !== false &&
    (await buildDocuments({
      functions,
      root,
      docsDir: join(outDir, 'docs'),
      functionsDir,
    }))
  const milliseconds = Math.round(performance.now() - startedAt)
  const servicesDir = join(outDir, 'services')
  return { functionsDir, servicesDir, consoleDir, built, documentsBuilt, milliseconds }
}

/** Makes the workers of the functions that may run at the edge. @returns the names of those that were made anew */
export async function buildWorkers({
  functions,
  root,
  outDir,
}: Pick<BuildOptions, 'functions' | 'root' | 'outDir'>): Promise<string[]> {
  const atTheEdge = functions.filter(({ edge }) => edge === true)
  const workersDir = join(outDir, 'workers')
  return (
    await bundleFunctions({ functions: atTheEdge, root, outDir: workersDir, carriage: worker })
  ).built
}

/** Makes the programs of the functions that may run as a service. @returns the names of those that were made anew */
export async function buildServices({
  functions,
  root,
  outDir,
}: Pick<BuildOptions, 'functions' | 'root' | 'outDir'>): Promise<string[]> {
  const servable = functions.filter(({ service: own }) => own !== undefined)
  const servicesDir = join(outDir, 'services')
  return (
    await bundleFunctions({ functions: servable, root, outDir: servicesDir, carriage: service })
  ).built
}
