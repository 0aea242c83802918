/** `npm run build`: builds the bundles of every function and the API documents into dist/. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { build } from './build.ts'

const root = resolve(import.meta.dirname, '../..')

try {
  const result = await build({ functions, root, outDir: join(root, 'dist') })
  for (const { name } of functions) {
    const { size } = statSync(join(result.functionsDir, name, 'index.cjs'))
    const state = result.built.includes(name) ? 'built' : 'kept'
    process.stdout.write(
      `${name.padEnd(24)} ${String(Math.ceil(size / 1024)).padStart(5)} KB  ${state}\n`,
    )
  }
  process.stdout.write(`${functions.length} functions in ${result.milliseconds} ms\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
