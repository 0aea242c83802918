/**
 * Runs a checker of endpoints against a stack of its own: `npm run endpoints -- <checker.mjs>`. The checker gets the
 * addresses of the three surfaces, prints the endpoints that no API document lists, and fails if it finds any.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { build } from '#stacks/build/build.ts'
import { startStack } from '#stacks/local/stack.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'

const [checker = ''] = process.argv.slice(2)
if (!existsSync(checker)) {
  const why = checker === '' ? 'no checker was named' : `there is no ${checker}`
  process.stderr.write(`${why}: npm run endpoints -- <checker.mjs>\n`)
  process.exit(2)
}

const root = join(import.meta.dirname, '../..')
const dataDir = await mkdtemp(join(tmpdir(), 'platform-endpoints-'))
const { functionsDir } = await build({ functions, root, outDir: join(root, 'dist') })
const stack = await startStack({
  root,
  bundles: functionsDir,
  environment: { DATA_DIR: dataDir, ...freePorts },
})
try {
  const { web, backend, summarizer } = stack.urls
  // Asynchronously, because the stack runs in this process.
  const child = spawn(process.execPath, [resolve(checker), web, backend, summarizer], {
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await stack.close()
  await rm(dataDir, { recursive: true, force: true })
}
