import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { constants } from 'node:os'
import type { Told } from '../../gateway/bootstrap.ts'
import { replaceFile } from '../../gateway/workspace/files.ts'
import { openclawFiles } from '../config.ts'
import { OutputCeiling } from './ceiling.ts'
import type { FrontSettings } from './settings.ts'

/** How many milliseconds the front waits for what OpenClaw printed last, after it has ended. */
const lastWordsMs = 1000

/** OpenClaw, running. */
export interface Child {
  pid: number
  /** Where it listens on 127.0.0.1, once it does. */
  port: number
  /** Its exit code; 128 and the signal's number where a signal ended it. */
  exited: Promise<number>
  kill(signal: NodeJS.Signals): void
}

/**
 * Writes OpenClaw's files and starts it on a free port of loopback. It and its tools have the user's credentials as
 * variables; none takes the place of one that they run by.
 * @throws when it is not installed
 */
export async function startOpenclaw(
  settings: FrontSettings,
  { environment: given, credentials }: Told,
): Promise<Child> {
  const { stateDir, workspace, command } = settings
  const port = await findPort()
  await mkdir(workspace, { recursive: true })
  const files = openclawFiles(settings, stateDir)
  await Promise.all([...files].map(([path, text]) => replaceFile(path, text)))

  // With a cache that is not its own OpenClaw runs as a child of itself, 60 MB for nothing.
  const { NODE_COMPILE_CACHE: _, ...environment } = given
  const [program = '', ...options] = command
  const child = spawn(program, [...options, 'gateway', 'run', '--port', String(port)], {
    cwd: workspace,
    env: {
      ...credentials,
      ...environment,
      OPENCLAW_STATE_DIR: stateDir,
      OPENCLAW_CONFIG_READONLY: '1',
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      OPENCLAW_NO_RESPAWN: '1',
    },
    // It prints its answers to standard output at every log level, and conversations have no place in a container's
    // log. Warnings and errors come on standard error.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await once(child, 'spawn')
  const printed = child.stderr.pipe(new OutputCeiling())
  printed.on('data', (bytes: Buffer) => process.stderr.write(bytes))
  const exited = once(child, 'exit').then(async ([code, signal]) => {
    // A tool that it started may outlive it and hold its standard error open.
    const waiting = setTimeout(() => {
      child.stderr.unpipe(printed)
      child.stderr.destroy()
      printed.end()
    }, lastWordsMs)
    if (!printed.readableEnded) await once(printed, 'end')
    clearTimeout(waiting)
    return exitCode(code, signal)
  })
  return { pid: child.pid ?? 0, port, exited, kill: (signal) => void child.kill(signal) }
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + constants.signals[signal ?? 'SIGKILL']
}

/** A port that is free now; OpenClaw itself waits for it a while and then ends with an error. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
