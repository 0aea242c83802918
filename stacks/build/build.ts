import { join } from 'node:path'
import type { FunctionSpec } from '../../shared/manifest/index.ts'
import { bundleFunctions } from './bundle.ts'
import { buildDocuments } from './docs.ts'
import { writeCatalogue } from './skills.ts'

export interface BuildOptions {
  functions: readonly FunctionSpec[]
  /** The repository. */
  root: string
  /** Gets `functions/<name>/index.cjs` and `docs/<surface>.{json,html}`. */
  outDir: string
  /** Without the API documents. */
  documents?: boolean
}

export interface BuildResult {
  functionsDir: string
  /** Names of the functions that were bundled anew. */
  built: string[]
  documentsBuilt: boolean
  milliseconds: number
}

/** Makes everything that is deployed or run from the sources; what did not change since the last time is kept. */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const startedAt = performance.now()
  const { functions, root, outDir } = options
  const functionsDir = join(outDir, 'functions')
  await writeCatalogue(root)
  const { built } = await bundleFunctions({ functions, root, outDir: functionsDir })
  const documentsBuilt =
    options.documents !== false &&
    (await buildDocuments({
      functions,
      root,
      docsDir: join(outDir, 'docs'),
      functionsDir,
    }))
  const milliseconds = Math.round(performance.now() - startedAt)
  return { functionsDir, built, documentsBuilt, milliseconds }
}
