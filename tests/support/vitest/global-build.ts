import { join } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { build } from '#stacks/build/build.ts'
import { buildProgram, gateway } from '#stacks/build/programs.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { compileGateway } from './global-programs.ts'

const root = join(import.meta.dirname, '../../..')

/** Builds the bundles once, for all stacks that start side by side. */
export default async function setup(): Promise<void> {
  await build({ functions, root, outDir: join(root, 'dist') })
  const { NODE_COMPILE_CACHE: cacheDir } = compileCache
  // The folder of all agents of a stack.
  if (cacheDir !== undefined)
    compileGateway(await buildProgram(root, gateway), join(cacheDir, 'agents'))
}
