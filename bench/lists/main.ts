/**
 * Measures the memory of the backend's two lists of all agents, `GET /api/agents` and `GET /api/runtime/instances`, through
 * their routes, with the local database in its own process: `AGENTS=100000 node bench/lists/main.ts`; default 10,000. Fails
 * above 128 MB of heap.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { routes as agentRoutes } from '#functions/backend/agents.ts'
import { routes as runtimeRoutes } from '#functions/backend/runtime.ts'
import { createApp } from '#shared/http/app.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'

const agents = Number(process.env.AGENTS ?? 10_000)
const maxMb = 128
const internalKey = 'the-internal-key'

useLocalCredentials()
const database = fork(join(import.meta.dirname, 'database.ts'), [String(agents)])
const [{ endpoint, tableName }] = (await once(database, 'message')) as [
  { endpoint: string; tableName: string },
]
const table = dynamoTable({ tableName, endpoint })
const settings = { INTERNAL_API_KEY: internalKey, RATE_LIMITS: 'off' } as const
const apps = [
  createApp({
    surface: 'backend',
    name: 'backend-agents',
    routes: agentRoutes.filter(({ name }) => name === 'agents.list') as never,
    services: { table, config: { BACKEND_URL: 'http://localhost:4000' } } as never,
    settings,
    table,
  }),
  createApp({
    surface: 'backend',
    name: 'backend-runtime',
    routes: runtimeRoutes.filter(({ name }) => name === 'runtime.instances.list') as never,
    services: { table } as never,
    settings,
    table,
  }),
]

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const mb = (bytes: number) => bytes / 1024 / 1024
let worst = 0
for (const [i, path] of ['/api/agents', '/api/runtime/instances'].entries()) {
  collect()
  const before = process.memoryUsage().heapUsed
  let most = 0
  const look = setInterval(() => {
    collect()
    most = Math.max(most, process.memoryUsage().heapUsed - before)
  }, 100)
  const began = performance.now()
  const answer = await apps[i]?.request(path, {
    headers: { authorization: `Bearer ${internalKey}` },
  })
  const bytes = (await answer?.arrayBuffer())?.byteLength ?? 0
  clearInterval(look)
  worst = Math.max(worst, mb(most))
  const seconds = (performance.now() - began) / 1000
  process.stdout.write(
    `${path} of ${agents} agents: ${answer?.status}, ${mb(bytes).toFixed(1)} MB, ${mb(most).toFixed(0)} MB of heap, ${seconds.toFixed(1)} s\n`,
  )
}
database.kill()
if (worst > maxMb) {
  process.stderr.write(`a list held ${worst.toFixed(0)} MB, which is more than ${maxMb}\n`)
  process.exitCode = 1
}
