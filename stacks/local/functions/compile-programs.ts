import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The programs that functions run in: paths of plain JavaScript files. */
export interface Programs {
  thread: string
  process: string
  service: string
}

/**
 * Compiles each program to one JavaScript file. If every thread stripped the types itself, it would need a third more
 * memory and twice the time to start.
 */
export async function compilePrograms(dir: string): Promise<Programs> {
  await build({
    entryPoints: {
      worker: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      process: fileURLToPath(new URL('./process.ts', import.meta.url)),
      service: fileURLToPath(new URL('../services/thread.ts', import.meta.url)),
    },
    outdir: dir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'silent',
  })
  const at = (name: string) => join(dir, `${name}.cjs`)
  return { thread: at('worker'), process: at('process'), service: at('service') }
}
