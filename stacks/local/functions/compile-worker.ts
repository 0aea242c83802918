import { join } from 'node:path'
import { build, stop } from 'esbuild'

/**
 * Makes one plain JavaScript file of the thread's program: taking types away anew in every thread would cost each a
 * third of its memory and half of its start.
 * @returns the file's path
 */
export async function compileWorker(dir: string): Promise<string> {
  const outfile = join(dir, 'worker.cjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
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
