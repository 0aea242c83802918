import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Debian's packages. None needs an engine that runs, and all need root. */
const tools = ['buildah', 'crun', 'debootstrap']

/** Why no image can be built here; undefined where it can. */
export function missingTools(): string | undefined {
  const missing = tools.filter((tool) => !has(tool))
  if (missing.length > 0) return `apt-get install ${missing.join(' ')} brings what is not installed`
  return process.getuid?.() === 0 ? undefined : 'only root can make a root file system, as by sudo'
}

function has(tool: string): boolean {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export const root = join(import.meta.dirname, '../..')

/** What was made stays from one run to the next, since it takes minutes: IMAGE_WORK, `dist/image` where it is not given. */
export const work = process.env['IMAGE_WORK'] ?? join(root, 'dist/image')

/** Runs a program. @returns what it printed @throws Error with what it printed as errors */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

/** buildah with a store of its own, so that it touches no other image of the machine. */
export function buildah(...args: string[]): Promise<string> {
  const store = ['--root', join(work, 'store'), '--runroot', join(work, 'run')]
  return run('buildah', [...store, ...args])
}
