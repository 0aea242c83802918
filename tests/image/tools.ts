import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Packages of Debian. They need no daemon, but they need root. */
const tools = ['buildah', 'crun', 'debootstrap']

/** Why this machine cannot build images; undefined if it can. */
export function missingTools(): string | undefined {
  const missing = tools.filter((tool) => !has(tool))
  if (missing.length > 0)
    return `apt-get install ${missing.join(' ')} installs the missing packages`
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

/** Build results are kept between runs, because a build takes minutes: in IMAGE_WORK, by default `dist/image`. */
export const work = process.env['IMAGE_WORK'] ?? join(root, 'dist/image')

/**
 * Runs a program.
 * @returns its output
 * @throws Error with its error output
 */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

/** Runs buildah with a store of its own, so that it touches no other image of the machine. */
export function buildah(...args: string[]): Promise<string> {
  const store = ['--root', join(work, 'store'), '--runroot', join(work, 'run')]
  return run('buildah', [...store, ...args])
}
