import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stack } from './platform.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

/** The end of the output that a failure shows. */
const shownChars = 3_000

/**
 * Runs the commands of a document, first to last in one shell. The commands run with a user of their own, in a folder
 * like the built repository.
 * @param documents run in order, in the same shell
 * @param mark the word after ```sh that marks the blocks to run, or several words with | between them
 * @param environment added to the environment of this process
 * @param at the platform; defaults to the shared stack
 * @param timeout in milliseconds: slightly less than the test's, so that a failure shows the output so far
 * @returns the output of each block
 */
export async function runBlocks(
  documents: string | readonly string[],
  mark: string,
  {
    environment = {},
    at = stack(),
    timeout = 110_000,
  }: {
    environment?: Readonly<Record<string, string>>
    at?: Pick<ReturnType<typeof stack>, 'web' | 'backend' | 'dataDir'>
    timeout?: number
  } = {},
): Promise<string[]> {
  const texts = await Promise.all(
    [documents].flat().map((one) => readFile(join(root, one), 'utf8')),
  )
  const text = texts.join('\n')
  const pattern = new RegExp(`^ *\`\`\`sh (?:${mark})\\n(.*?)^ *\`\`\``, 'gms')
  const folder = await mkdtemp(join(tmpdir(), 'document-'))
  const here = join(folder, 'platform')
  // Beside the folder, as on a reader's machine: npm would use a package.json of a parent folder.
  const temporary = join(folder, 'tmp')
  await Promise.all([mkdir(here), mkdir(temporary)])
  for (const name of ['dist', 'package.json', 'tests'])
    await symlink(join(root, name), join(here, name))
  const { web, backend, dataDir } = at
  const blocks = [...text.matchAll(pattern)].map(([, block = '']) =>
    block
      .replace('http://localhost:3000', web)
      .replace('http://localhost:3001', backend)
      .replace('DATA=.data', `DATA=${dataDir}`)
      .replaceAll('ada@example.com', `reader-${folder.slice(-6).toLowerCase()}@example.com`),
  )
  const script = ['set -euo pipefail', ...blocks.map((block) => `${block}\necho; echo == ==`)]
  try {
    const { stdout } = await run('bash', ['-c', script.join('\n')], {
      cwd: here,
      timeout,
      env: {
        ...process.env,
        HOME: here,
        TMPDIR: temporary,
        npm_config_offline: 'true',
        ...environment,
      },
    })
    return stdout.split('== ==\n').slice(0, blocks.length)
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${stdout.slice(-shownChars)}\n${stderr.slice(-shownChars)}`, { cause: error })
  } finally {
    await rm(folder, { recursive: true })
  }
}
