import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'

/** What a function runs in: plain JavaScript files by their paths. */
export interface Programs {
  thread: string
  process: string
  service: string
}

/**
 * Makes one plain JavaScript file of each program: taking types away anew in every thread would cost each a third of its
 * memory and half of its start.
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
  // Its process would otherwise stay for as long as this one.
  await stop()
  const at = (name: string) => join(dir, `${name}.cjs`)
  return { thread: at('worker'), process: at('process'), service: at('service') }
}
