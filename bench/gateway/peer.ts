import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Child, startChild } from './child.ts'

const name = '@portkey-ai/gateway'
const version = '1.15.2'

/**
 * Installs the peer gateway once, into a temporary folder of the system.
 * @returns its program, or the reason why it is missing
 */
function install(): { program: string } | { missing: string } {
  const dir = join(tmpdir(), `agent-platform-bench-portkey-${version}`)
  const program = join(dir, 'node_modules', name, 'build/start-server.js')
  if (existsSync(program)) return { program }
  mkdirSync(dir, { recursive: true })
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', dir]
  try {
    execFileSync('npm', ['install', ...flags, `${name}@${version}`], {
      stdio: 'pipe',
      timeout: 300_000,
    })
  } catch (error) {
    const [line = ''] = String((error as { stderr?: unknown }).stderr ?? error).split('\n')
    return { missing: `${name}@${version} cannot be installed: ${line}` }
  }
  return existsSync(program) ? { program } : { missing: `${name}@${version} has no ${program}` }
}

export interface Peer {
  name: string
  child: Child
  port: number
  /** Returns the headers with the provider's address. */
  headers(provider: string): Record<string, string>
}

/** @returns the running peer, or the reason why it is missing */
export async function startPeer(core: number): Promise<Peer | { missing: string }> {
  const installed = install()
  if ('missing' in installed) return installed
  const port = await freePort()
  const args = [`--port=${port}`, '--headless']
  // Its output is ignored, because it prints a stack trace for every stream that it refuses.
  const child = startChild(core, installed.program, args, { NODE_ENV: 'production' }, 'ignore')
  await untilListening(port)
  return {
    name: `Portkey ${version}`,
    child,
    port,
    headers: (provider) => ({
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': provider,
    }),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function untilListening(port: number): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const socket = connect(port, '127.0.0.1')
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (connected) return
    await wait(50)
  }
  throw new Error('the peer does not listen')
}
