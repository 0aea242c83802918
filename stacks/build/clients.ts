import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { clientOptions, commandOptions } from './options.ts'

/** The package.json of the client, so that its build folder can be installed. */
const manifest = {
  name: 'agent-platform-client',
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
}

/**
 * Builds `typescript/index.js` with its types and the command line `cli/agents.mjs`, unless they are up to date.
 * @returns whether they were rebuilt
 */
export async function buildClients(root: string, outDir: string): Promise<boolean> {
  const keyFile = join(outDir, '.key')
  const key = await sourcesKey(root)
  const known = await readFile(keyFile, 'utf8').catch(() => '')
  if (known === key && existsSync(join(outDir, 'typescript/index.d.ts'))) return false
  // Built in a temporary folder and then renamed, because the command may be running.
  const temporary = `${outDir}.${process.pid}`
  const at = { absWorkingDir: root, write: true }
  await build({
    ...clientOptions,
    ...at,
    entryPoints: ['clients/typescript/index.ts'],
    outfile: join(temporary, 'typescript/index.js'),
  })
  await build({
    ...commandOptions,
    ...at,
    entryPoints: ['clients/cli/main.ts'],
    outfile: join(temporary, 'cli/agents.mjs'),
    plugins: [partAsText(root)],
  })
  await declareTypes(root, join(temporary, 'typescript'))
  await writeFile(
    join(temporary, 'typescript/package.json'),
    `${JSON.stringify(manifest, null, 2)}\n`,
  )
  await writeFile(join(temporary, '.key'), key)
  await mkdir(join(outDir, '..'), { recursive: true })
  await rm(outDir, { recursive: true, force: true })
  await rename(temporary, outDir)
  return true
}

/**
 * Embeds the command line's MCP server in its single file as compressed text that is loaded as a module on demand. As code,
 * it would be four times the size of everything else, and Node would parse it at every start. It is compressed because Node
 * reads the whole file at every start. It has its own copies of modules.
 */
function partAsText(root: string): Plugin {
  return {
    name: 'part-as-text',
    setup(whole) {
      whole.onLoad({ filter: /\/clients\/cli\/mcp\/serve\.ts$/ }, async ({ path }) => {
        const { banner: _, ...options } = commandOptions
        const part = await build({
          ...options,
          absWorkingDir: root,
          entryPoints: [path],
          write: false,
        })
        const packed = brotliCompressSync(part.outputFiles[0]?.contents ?? '').toString('base64')
        return {
          contents: `export async function serveTools(served) {
            const { brotliDecompressSync } = await import('node:zlib')
            const source = brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString('base64')
            return (await import('data:text/javascript;base64,' + source)).serveTools(served)
          }`,
        }
      })
    },
  }
}

/** Writes the type declarations. @throws Error with the compiler's output if the client does not compile */
async function declareTypes(root: string, outDir: string): Promise<void> {
  const compiler = createRequire(join(root, 'package.json')).resolve('typescript/bin/tsc')
  const project = join(root, 'clients/typescript/tsconfig.json')
  const running = promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    project,
    '--outDir',
    outDir,
  ])
  await running.catch(({ stdout }: { stdout: string }) => {
    throw new Error(`The client's types do not compile:\n${stdout}`)
  })
}

async function sourcesKey(root: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([clientOptions, commandOptions]))
  const folders = ['clients', 'shared/tools/mcp'].map((dir) =>
    readdir(join(root, dir), { recursive: true, withFileTypes: true }),
  )
  const sources = (await Promise.all(folders))
    .flat()
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
  for (const path of [join(root, 'package-lock.json'), ...sources.sort()])
    hash.update(await readFile(path))
  return hash.digest('hex')
}
