import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StartConfig } from '../../gateway/bootstrap.ts'
import type { OutputBudget } from '../../gateway/output/budget.ts'
import { LimitedLines } from '../../gateway/output/lines.ts'
import { replaceFile } from '../../gateway/workspace/files.ts'
import { openclawFiles } from '../config.ts'
import type { FrontSettings } from './settings.ts'

/** The time to wait for OpenClaw's last output after it has exited, in milliseconds. */
const lastWordsMs = 1000

/** A running OpenClaw process. */
export interface Child {
  pid: number
  /** Its port on 127.0.0.1, once it listens. */
  port: number
  /** Its exit code; after a signal, 128 plus the signal's number. */
  exited: Promise<number>
  kill(signal: NodeJS.Signals): void
}

/**
 * Writes OpenClaw's files and starts it on a free port of loopback. OpenClaw and its tools get the user's credentials
 * as variables, but these never replace a variable that OpenClaw needs.
 * @param budget how much of its output is printed
 * @throws Error if OpenClaw is not installed
 */
export async function startOpenclaw(
  settings: FrontSettings,
  { environment: startEnvironment, credentials }: StartConfig,
  budget: OutputBudget,
): Promise<Child> {
  const { agentId, stateDir, workspace, command } = settings
  const port = await findPort()
  await mkdir(workspace, { recursive: true })
  // Caches must not fill the stored files: OpenClaw's contains copies of its databases, and its home folder is stored.
  const caches = join(tmpdir(), `agent-${agentId}`)
  await mkdir(caches, { recursive: true, mode: 0o700 })
  const files = openclawFiles(settings, stateDir)
  await Promise.all([...files].map(([path, text]) => replaceFile(path, text)))

  // With a cache folder of another program, OpenClaw starts itself again as a child, which takes 60 MB more.
  const { NODE_COMPILE_CACHE: _, ...environment } = startEnvironment
  const [program = '', ...options] = command
  const child = spawn(program, [...options, 'gateway', 'run', '--port', String(port)], {
    cwd: workspace,
    env: {
      ...credentials,
      ...environment,
      XDG_CACHE_HOME: caches,
      npm_config_cache: join(caches, 'npm'),
      OPENCLAW_STATE_DIR: stateDir,
      OPENCLAW_CONFIG_READONLY: '1',
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      OPENCLAW_NO_RESPAWN: '1',
    },
    // OpenClaw prints its replies to standard output at every log level, and conversations must not get into a
    // container's log. Warnings and errors go to standard error.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await once(child, 'spawn')
  const lines = new LimitedLines(budget)
  child.stderr.on('data', (bytes: Buffer) => process.stderr.write(lines.write(bytes)))
  const exited = once(child, 'exit').then(async ([code, signal]) => {
    // A tool that OpenClaw started may outlive it and keep its standard error open.
    const waiting = setTimeout(() => child.stderr.destroy(), lastWordsMs)
    if (!child.stderr.closed) await once(child.stderr, 'close')
    clearTimeout(waiting)
    process.stderr.write(lines.end())
    return exitCode(code, signal)
  })
  return { pid: child.pid ?? 0, port, exited, kill: (signal) => void child.kill(signal) }
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + constants.signals[signal ?? 'SIGKILL']
}

/** Returns a port that is free now. If it is taken later, OpenClaw waits for a while and then exits with an error. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
