/**
 * Measures connections: how much the platform adds to the call of a tool, in turn with the same call sent to the MCP
 * server directly, both by the protocol's official client. The stack and the server each have their own process.
 * `--quick`: fewer calls. Fails on wrong results or missing records, never on time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client } from '@modelcontextprotocol/client'
import { connectClient } from '#tests/support/http/mcp-client.ts'
import { trust } from '#tests/support/tools/broker.ts'
import { startAgentStack } from '../broker/agent-stack.ts'
import { median } from '../budgets/measure.ts'
import { cpuSeconds } from '../gateway/rounds.ts'

const calls = process.argv.includes('--quick') ? 100 : 2000
/** The maximum that a call may take longer, in milliseconds: with a policy, two rows are read and one is written. */
const wantedMs = 10

const dataDir = await mkdtemp(join(tmpdir(), 'platform-bench-'))
const child = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'server.ts')],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
const server = JSON.parse(line) as { url: string; host: string; certFile: string }
trust(readFileSync(server.certFile, 'utf8'))
const stack = await startAgentStack(dataDir, server)
try {
  await stack.ask('/connections', { name: 'bench', url: server.url })
  await stack.ask('/connections/bench', { tools: { allow: ['list'] } }, 'PATCH')
  const direct = await connectClient(server.url, 'x')
  const connected = await connectClient(`${stack.backend}/connections/bench/mcp`, stack.key)
  const cpuBefore = cpuSeconds(stack.pid)
  const times = { direct: [] as number[], connected: [] as number[] }
  for (let i = -Math.round(calls / 5); i < calls; i++) {
    const [one, other] = [await timed(direct), await timed(connected)]
    if (one.text !== other.text) throw new Error(`another result: ${other.text}`)
    if (i < 0) continue
    times.direct.push(one.ms)
    times.connected.push(other.ms)
  }
  const cpuMs = ((cpuSeconds(stack.pid) - cpuBefore) * 1000) / (calls * 1.2)
  const { requests } = await stack.ask<{ requests: unknown[] }>('/connection-requests?limit=100')
  if (requests.length !== 100) throw new Error('calls are missing in the records')
  const [one, other] = [median(times.direct), median(times.connected)]
  print('a tool, direct, p50', one)
  print('a tool, by a connection, p50', other)
  print('CPU of the whole stack', cpuMs)
  const added = other - one
  print('added', added, `  at most ${wantedMs} ms: ${added <= wantedMs ? 'met' : 'NOT met'}`)
  await Promise.all([direct.close(), connected.close()])
} finally {
  await stack.stop()
  child.kill('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
}

async function timed(client: Client): Promise<{ ms: number; text: string }> {
  const started = performance.now()
  const result = await client.callTool({ name: 'list', arguments: {} })
  return { ms: performance.now() - started, text: JSON.stringify(result.content) }
}

function print(name: string, ms: number, verdict = ''): void {
  process.stdout.write(`${name.padEnd(36)}${`${ms.toFixed(2)} ms`.padStart(12)}${verdict}\n`)
}
