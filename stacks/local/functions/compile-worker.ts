import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'

/**
 * Makes one plain JavaScript file of the thread's program: taking types away anew in every thread would cost each a
 * third of its memory and half of its start.
 * @returns the file's path
 */
export async function compileWorker(dir: string): Promise<string> {
  const outfile = join(dir, 'worker.cjs')
  await build({
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'silent',
  })
  // Its process would otherwise stay for as long as this one.
  await stop()
  return outfile
}
