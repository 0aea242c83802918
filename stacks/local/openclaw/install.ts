import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { openclawRelease } from './release.ts'

/** OpenClaw could not be installed. The message says why and what to do. */
export class RuntimeError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RuntimeError'
  }
}

export interface InstallOptions {
  /** The folder that holds one folder per release. The caller holds the data directory's lock, so no other process installs here. */
  dir: string
  onProgress?(what: string): void
  /** The npm command, argument by argument. Default: the npm that started this process, else the one in PATH. */
  npm?: readonly string[]
  /** Default: the release that agents are made for. */
  version?: string
}

const name = 'openclaw'

/**
 * The lock files of the release and its dependencies, each package with version and SHA-512. For a new release, change
 * the version in package.json and release.ts, then run `npm install --package-lock-only --ignore-scripts` in this folder.
 */
const locked = join(import.meta.dirname, 'lock')
const progressEveryMs = 5000
const manifest = z.object({ version: z.string() })

/**
 * Installs OpenClaw unless it is installed: about 650 MB of npm packages. They are installed into a temporary folder that
 * is then renamed, so an interrupted run leaves no partial installation; npm's cache keeps what it downloaded. Installs
 * only locked packages and runs no install scripts.
 * @returns the path of OpenClaw's main file
 * @throws RuntimeError
 */
export async function installOpenclaw(options: InstallOptions): Promise<string> {
  const { dir, version = openclawRelease, onProgress = () => {} } = options
  const place = join(dir, `${name}-${version}`)
  if (!(await exists(place))) {
    await mkdir(dir, { recursive: true })
    await removeLeftovers(dir)
    const temporary = await mkdtemp(join(dir, `.${name}-`))
    try {
      await fetchInto(temporary, version, options.npm ?? defaultNpm(), onProgress)
      await rename(temporary, place)
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  }
  return programIn(place, version)
}

/** Removes the temporary folders of interrupted installations. */
async function removeLeftovers(dir: string): Promise<void> {
  const left = (await readdir(dir)).filter((each) => each.startsWith(`.${name}-`))
  await Promise.all(
    left.map((each) => rm(join(dir, each), { recursive: true, force: true, maxRetries: 5 })),
  )
}

async function fetchInto(
  folder: string,
  version: string,
  [command = 'npm', ...options]: readonly string[],
  onProgress: (what: string) => void,
): Promise<void> {
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  onProgress(`OpenClaw ${version}: downloading about 650 MB from npm, once`)
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(locked, file), join(folder, file))
  const child = spawn(
    command,
    [
      ...options,
      'ci',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--engine-strict',
      '--no-audit',
      '--no-fund',
      '--loglevel=http',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const errors: string[] = []
  let fetched = 0
  let unreachable = false
  const timer = setInterval(() => {
    onProgress(`OpenClaw: ${fetched} responses from the npm registry after ${seconds()} s`)
  }, progressEveryMs)
  const kill = () => void child.kill()
  process.once('exit', kill)
  try {
    await once(child, 'spawn')
    const ended = once(child, 'close') as Promise<[number | null]>
    for await (const line of createInterface(child.stderr)) {
      const failure = / attempt \d+ failed with (\S+)/.exec(line)?.[1]
      if (!line.startsWith('npm http')) errors.push(line)
      else if (failure === undefined) fetched += 1
      else if (!unreachable) {
        unreachable = true
        onProgress(
          `OpenClaw: cannot reach the npm registry (${failure}); npm retries for some minutes`,
        )
      }
    }
    const [code] = await ended
    if (code !== 0) throw new Error(errors.slice(-12).join('\n') || `npm exited with code ${code}`)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const way =
      'AGENT_RUNTIME=embedded needs no download. The next start continues with what npm has downloaded.'
    throw new RuntimeError(
      `OpenClaw ${version} could not be installed with ${command}: ${why}\n${way}`,
      {
        cause,
      },
    )
  } finally {
    clearInterval(timer)
    process.off('exit', kill)
  }
  onProgress(`OpenClaw ${version} is installed after ${seconds()} s`)
}

/** npm sets `npm_execpath` for its scripts. It is a script itself, so any Node can run it. */
function defaultNpm(): string[] {
  const script = process.env['npm_execpath']
  return script?.endsWith('npm-cli.js') === true ? [process.execPath, script] : ['npm']
}

async function programIn(place: string, version: string): Promise<string> {
  const folder = join(place, 'node_modules', name)
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
  const found = manifest.safeParse(JSON.parse(text)).data?.version
  const program = join(folder, 'openclaw.mjs')
  if (found === version && (await exists(program))) return program
  throw new RuntimeError(`${place} does not contain OpenClaw ${version}; remove it and start again`)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
