import { join } from 'node:path'
import { stop } from 'esbuild'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { service, worker } from './bundle-target.ts'
import { bundleFunctions } from './bundle.ts'
import { buildClients } from './clients.ts'
import { buildConsole } from './console.ts'
import { buildDocuments } from './docs.ts'
import { writePage } from './page.ts'
import { buildProgram, gateway } from './programs.ts'
import { writeCatalogue } from './skills.ts'

export interface BuildOptions {
  functions: readonly FunctionSpec[]
  /** The repository root. */
  root: string
  /** Receives `functions/<name>/index.cjs`, `workers/<name>/index.js`, `services/<name>/index.cjs`, `clients/`, `console/` and `docs/<surface>.{json,html}`. */
  outDir: string
  /** `false` skips the API documents. */
  documents?: boolean
}

export interface BuildResult {
  functionsDir: string
  /** The folder that holds `<name>/index.cjs` of every function that can run as a service. */
  servicesDir: string
  consoleDir: string
  /** The names of the functions that were bundled. */
  built: string[]
  documentsBuilt: boolean
  milliseconds: number
}

/** Builds everything that is deployed or run. Unchanged results of an earlier build are kept. */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const startedAt = performance.now()
  const { functions, root, outDir } = options
  const functionsDir = join(outDir, 'functions')
  await writeCatalogue(root)
  const { built } = await bundleFunctions({ functions, root, outDir: functionsDir })
  await buildWorkers(options)
  await buildServices(options)
  await buildClients(root, join(outDir, 'clients'))
  const consoleDir = join(outDir, 'console')
  await buildConsole(root, consoleDir)
  await writePage(root, 'console/pages/agent', join(root, 'agent/gateway/page'))
  await buildProgram(root, gateway)
  const documentsBuilt =
    options.documents !== false &&
    (await buildDocuments({
      functions,
      root,
      docsDir: join(outDir, 'docs'),
      functionsDir,
    }))
  // Its process would otherwise run as long as this one.
  await stop()
  const milliseconds = Math.round(performance.now() - startedAt)
  const servicesDir = join(outDir, 'services')
  return { functionsDir, servicesDir, consoleDir, built, documentsBuilt, milliseconds }
}

/** Builds the workers of the functions that can run at the edge. @returns the names of those that were rebuilt */
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

/** Builds the programs of the functions that can run as a service. @returns the names of those that were rebuilt */
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
