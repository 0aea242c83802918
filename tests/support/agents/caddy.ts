import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../clock/eventually.ts'
import { domain, routerSecret, say } from './agent-hosts.ts'
import type { Front } from './routed-agent.ts'

const command = process.env.CADDY ?? 'caddy'
const caddyfile = join(import.meta.dirname, '../../../stacks/router/Caddyfile')

/** True if this machine has Caddy. CADDY names a binary outside PATH. */
export const caddyIsInstalled = spawnSync(command, ['version']).status === 0

/** Runs Caddy with the deployed configuration, in a process of its own. */
export const caddy: Front = async (gateUrl) => {
  const home = await mkdtemp(join(tmpdir(), 'caddy-'))
  const port = await freePort()
  const child = spawn(command, ['run', '--adapter', 'caddyfile', '--config', caddyfile], {
    stdio: 'ignore',
    env: {
      HOME: home,
      PORT: String(port),
      AGENTS_DOMAIN: domain.replace(/:.*/, ''),
      GATE_ORIGIN: gateUrl,
      GATE_PATH: '/api/gate',
      ROUTER_SECRET: routerSecret,
    },
  })
  const close = async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    await rm(home, { recursive: true })
  }
  await eventually(() => say(port, 'caddy', { path: '/healthz' }))
  return { port, close }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
