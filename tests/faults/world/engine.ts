/**
 * A container engine in a process of its own, which tests kill. It reports its port and each task event to its parent,
 * and answers the parent's requests after the events before them. When its parent dies, it ends with its tasks.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SimulatedFaults } from '#stacks/local/containers/engine.ts'
import type { Family } from '#stacks/local/containers/family.ts'
import { startContainers } from '#stacks/local/containers/start.ts'
import { cluster, crashing, good, other } from './host.ts'

/**
 * A minimal gateway, because the test starts many of them. With one config it cannot work. It fetches its settings as
 * agent/gateway/bootstrap.ts does.
 */
const gateway = `
const http = require('node:http')
const { text } = require('node:stream/consumers')
const { AGENT_ID: agentId, AGENT_GENERATION, AGENT_BOOTSTRAP_URL, AGENT_BOOTSTRAP_TOKEN } = process.env
const nonce = require('node:crypto').randomBytes(32).toString('base64url')
const headers = { authorization: 'Bearer ' + AGENT_BOOTSTRAP_TOKEN, 'content-type': 'application/json' }
http.request(AGENT_BOOTSTRAP_URL, { method: 'POST', headers }, async (answer) => {
  if (answer.statusCode !== 200) process.exit(1)
  const { variables } = JSON.parse(await text(answer))
  if (variables.SYSTEM_PROMPT === 'Crash.') process.exit(9)
  http.createServer((request, response) => response.setHeader('agent-id', agentId).end(JSON.stringify(variables)))
    .listen(Number(process.env.GATEWAY_PORT), '127.0.0.1')
}).end(JSON.stringify({ agentId, generation: Number(AGENT_GENERATION), nonce }))
`

const family: Family = {
  command: [process.execPath, '-e', gateway],
  containerName: 'agent',
  stopTimeoutSeconds: 5,
  cpu: 256,
  memory: 512,
}

const [dir = ''] = process.argv.slice(2)

let trouble: SimulatedFaults = {}

function tell(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })
}

/** Events on their way to the parent. An event that waits for another follows it within the same turn. */
let telling = 0

async function tellEvent(event: object): Promise<void> {
  telling++
  await tell({ event }).finally(() => telling--)
}

async function answer(): Promise<void> {
  while (telling > 0) await nextTurn()
  await tell({ answer: true })
}

const { port, close } = await startContainers({
  dir,
  cluster,
  families: { 'agent-label': family, 'agent-solo': family },
  images: {
    [good]: {},
    [other]: {},
    [crashing]: { command: [process.execPath, '-e', 'process.exit(7)'] },
  },
  trouble: () => trouble,
  onTaskEvent: tellEvent,
})
const end = () => void close().then(() => process.exit())
process.once('disconnect', end)
process.on('message', (asked) => {
  if (asked === 'end') return end()
  if (typeof asked === 'object' && asked !== null && 'trouble' in asked)
    trouble = asked.trouble as SimulatedFaults
  return void answer()
})
await tell({ ready: port })
