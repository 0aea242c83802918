import { join } from 'node:path'
import { stop } from 'esbuild'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { service } from './bundle-target.ts'
import { buildClients } from './clients.ts'
import { buildConsole } from './console.ts'
import { buildDocuments, documentPaths } from './docs.ts'
import { openOnDemand } from './on-demand.ts'
import { writePage } from './page.ts'
import { writeCatalogue } from './skills.ts'

interface BackgroundOptions {
  functions: readonly FunctionSpec[]
  /** The repository root. */
  root: string
  /** Receives the same files as from `build`, except the workers. */
  outDir: string
  /** Called for a part whose build fails in the background. Requests that need it fail with the same error. */
  onProblem(what: string, error: unknown): void
}

/** A build that a program can use before it is finished. */
export interface BackgroundBuild {
  functionsDir: string
  servicesDir: string
  consoleDir: string
  /** The number of functions that must be bundled. */
  stale: number
  /** Waits until a function can be invoked; undefined if it can now. @throws Error if its build fails */
  prepare(name: string, event: unknown): Promise<unknown> | undefined
  /** The same for a function's service. */
  prepareService(name: string): Promise<void> | undefined
  /** Resolves when the pages of the console and of agents are built. @throws Error if the build fails */
  pages: Promise<unknown>
  /** Builds the rest. Never throws. */
  rest(): Promise<void>
}

/** Determines what must be built. Each part is built when it is first needed, or in the background. */
export async function buildInBackground(options: BackgroundOptions): Promise<BackgroundBuild> {
  const { functions, root, outDir, onProblem } = options
  const [functionsDir, servicesDir, consoleDir] = ['functions', 'services', 'console'].map((name) =>
    join(outDir, name),
  ) as [string, string, string]
  await writeCatalogue(root)
  const pages = Promise.all([
    buildConsole(root, consoleDir),
    writePage(root, 'console/pages/agent', join(root, 'agent/gateway/page')),
  ])
  pages.catch((error: unknown) => onProblem('console', error))
  const [own, services] = await Promise.all([
    openOnDemand({ functions, root, outDir: functionsDir }, onProblem),
    openOnDemand(
      {
        functions: functions.filter((spec) => spec.service !== undefined),
        root,
        outDir: servicesDir,
        carriage: service,
      },
      onProblem,
    ),
  ])
  let documents: Promise<boolean> | undefined
  const buildDocumentsOnce = () =>
    (documents ??= buildDocuments({ functions, root, docsDir: join(outDir, 'docs'), functionsDir }))

  return {
    functionsDir,
    servicesDir,
    consoleDir,
    stale: own.stale.length,
    prepare(name, event) {
      const ready = own.ready(name)
      const { rawPath = '' } = event as { rawPath?: string }
      if (!name.endsWith('-system') || !documentPaths.includes(rawPath)) return ready
      return Promise.all([ready, buildDocumentsOnce()])
    },
    prepareService: services.ready,
    pages,
    async rest() {
      const steps = {
        functions: own.rest,
        services: services.rest,
        'API documents': buildDocumentsOnce,
        clients: () => buildClients(root, join(outDir, 'clients')),
      }
      for (const [what, step] of Object.entries(steps))
        await step().catch((error: unknown) => onProblem(what, error))
      // The bundler's process would otherwise run as long as this one.
      await stop()
    },
  }
}
