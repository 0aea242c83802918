/**
 * Measures an agent that prints 10,000 lines per second with 20 readers of its log, over the whole local stack. Fails if a
 * reader that keeps up misses a line or gets one out of order; times are only printed. `--quick`: two seconds, five readers.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs'
import { agentKey } from '#shared/agents/record/agent.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { spawnStack } from '#stacks/local/testing/spawn-stack.ts'
import { cpuSeconds } from '../gateway/rounds.ts'
import { residentMb } from '../stack/launch.ts'
import { startReader } from './reader.ts'

const quick = process.argv.includes('--quick')
const rate = 10_000
const seconds = quick ? 2 : 10
const readers = quick ? 5 : 20
const total = rate * seconds
const internalKey = 'internal-key-of-the-bench'

process.env.AWS_REGION = 'us-east-1'
process.env.AWS_ACCESS_KEY_ID = 'local'
process.env.AWS_SECRET_ACCESS_KEY = 'local'

const dataDir = await mkdtemp(join(tmpdir(), 'platform-bench-'))
const child = spawnStack({
  dataDir,
  program: join(import.meta.dirname, 'stack.ts'),
  environment: { LOCAL_ACCESS_KEY_ID: 'local', INTERNAL_API_KEY: internalKey },
})
child.stderr.pipe(process.stderr)
try {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const stack = JSON.parse(line) as {
    urls: { backend: string }
    endpoints: { dynamodb: string; ecs: string }
    clusterName: string
    tableName: string
  }
  const headers = { authorization: `Bearer ${internalKey}` }
  const made = await fetch(`${stack.urls.backend}/api/agents`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"name":"Flood"}',
  })
  const { id } = (await made.json()) as { id: string }
  const url = `${stack.urls.backend}/api/logs/${id}/stream?tail=0`
  const clients = Array.from({ length: readers }, () => startReader(url, headers, total))
  await Promise.all(clients.map(({ connected }) => connected))

  const cpu = () => cpuSeconds(Number(child.pid))
  const [cpuBefore, started] = [cpu(), performance.now()]
  const table = dynamoTable({ tableName: stack.tableName, endpoint: stack.endpoints.dynamodb })
  const { tasks = [] } = await new ECSClient({ endpoint: stack.endpoints.ecs }).send(
    new RunTaskCommand({
      cluster: stack.clusterName,
      taskDefinition: 'agent-label',
      startedBy: id,
      overrides: {
        containerOverrides: [
          {
            name: 'agent',
            command: [process.execPath, join(import.meta.dirname, 'flood.ts')],
            environment: [
              { name: 'FLOOD_LINES', value: String(total) },
              { name: 'FLOOD_RATE', value: String(rate) },
            ],
          },
        ],
      },
    }),
  )
  await table.update(agentKey({ userId: null, agentId: id }), {
    set: {
      taskArn: tasks[0]?.taskArn,
      taskVersion: 0,
      generation: 1,
      desired: 'running',
      status: 'provisioning',
    },
    add: { revision: 1 },
  })
  await Promise.race([
    Promise.all(clients.map(({ done }) => done)),
    new Promise((resolve) => setTimeout(resolve, 60_000).unref()),
  ])
  const took = (performance.now() - started) / 1000
  const faults = clients.reduce((sum, reader) => sum + reader.faults, 0)
  const whole = clients.filter(({ count }) => count === total).length
  process.stdout.write(
    [
      `lines printed           ${total} at ${rate}/s`,
      `complete readers        ${whole} of ${readers}`,
      `lost or out of order    ${faults}`,
      `last line everywhere    ${took.toFixed(1)} s after the start (printing takes ${seconds} s)`,
      `CPU of the stack        ${(cpu() - cpuBefore).toFixed(1)} s`,
      `RSS of the stack        ${residentMb(Number(child.pid)).toFixed(0)} MB`,
      '',
    ].join('\n'),
  )
  if (faults > 0 || whole < readers) process.exitCode = 1
} finally {
  child.kill('SIGTERM')
  await once(child, 'exit')
  await rm(dataDir, { recursive: true, force: true })
}
process.exit()
