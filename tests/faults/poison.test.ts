import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import type { DueNotice, Watchdog } from '#shared/agents/watchdog/schema.ts'
import { queues } from '#shared/manifest/index.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { tableName } from '#stacks/local/engines.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { noticesAbout, type Receiver, startReceiver } from '../support/stack/notices-receiver.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const maxReceives = queues.find(({ name }) => name === 'checks')?.maxReceives ?? 0

let receiver: Receiver
let stack: OwnStack
let user: TestUser

beforeAll(async () => {
  receiver = await startReceiver()
  stack = await startOwnStack({ NOTIFY_TEAM_WEBHOOK_URL: receiver.url })
  user = await stack.newSubscriber('collective')
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await receiver.close()
})

/** Creates an agent whose watchdog has a notice to send. The message that wakes the agent sends it. */
async function agentWithNews(): Promise<string> {
  const made = await call(`${stack.now().backend}/api/agents`, {
    headers: stack.asInternal(user.id),
    body: { name: 'Quiet' },
  })
  const agentId = String(made.body.id)
  const table = dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  const key = agentKey({ userId: user.id, agentId })
  const watchdog = (await table.get(key))?.watchdog as Watchdog
  const news: DueNotice = {
    kind: 'degraded',
    incidentAt: new Date().toISOString(),
    cause: 'news',
    attempt: 0,
    step: 'detected',
  }
  await table.update(key, {
    set: { watchdog: { ...watchdog, unsent: [news] } },
    add: { revision: 1 },
  })
  return agentId
}

interface Line {
  function?: string
  outcome?: string
  messageId?: string
  receives?: number
}

/** Returns the log lines of the checks function's attempts with this outcome. */
async function tries(wanted: 'done' | 'failed'): Promise<Line[]> {
  const text = await readFile(join(stack.dataDir, 'logs/functions.log'), 'utf8')
  // The last line may be incomplete.
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n')
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ function: name, outcome }) => name === 'checks' && outcome === wanted)
}

it('messages that no consumer accepts end in the dead-letter queue; the others of their batch are processed', async () => {
  const engines = enginesOf(() => stack.now().endpoints)
  const agents = [await agentWithNews(), await agentWithNews(), await agentWithNews()]
  const wakes = agents.map((agentId) => ({ agents: [{ userId: user.id, agentId, dueAt: null }] }))
  const poison = ['not JSON', '{"agents":[]}', '{"agents":[{"userId":1}]}']
  const began = performance.now()
  await engines.sendBatch('checks', [...poison.slice(0, 2), ...wakes, ...poison.slice(2)])
  for (const agentId of agents)
    await eventually(async () =>
      expect(await noticesAbout(receiver.url, agentId)).toMatchObject([
        { kind: 'degraded', text: 'Quiet is degraded: news.' },
      ]),
    )

  await eventually(
    async () => expect(await engines.deadLetters()).toEqual({ checks: poison.length }),
    40_000,
  )
  // Its delays of 2, 4 and 8 s grow, so that a temporary fault ends before the last attempt.
  expect(performance.now() - began).toBeGreaterThan(6000)
  expect((await engines.peek('checks-dead')).toSorted()).toEqual(poison.toSorted())
  await eventually(async () => expect(await engines.depth('checks')).toBe(0))
  const numbers = Array.from({ length: maxReceives }, (_, i) => i + 1)
  await eventually(async () => {
    const byMessage = Map.groupBy(await tries('failed'), ({ messageId = '' }) => messageId)
    expect([...byMessage.values()].map((own) => own.map(({ receives }) => receives))).toEqual(
      poison.map(() => numbers),
    )
    // The other messages succeeded at the first delivery and did not come again.
    expect((await tries('done')).map(({ receives }) => receives)).toEqual(wakes.map(() => 1))
  })
  for (const agentId of agents) expect(await noticesAbout(receiver.url, agentId)).toHaveLength(1)
})
