import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentKey } from '../../shared/agents/agent.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import type { DueNotice, Watchdog } from '../../shared/watchdog/schema.ts'
import { tableName } from '../../stacks/local/engines.ts'
import { queues } from '../../stacks/manifest/index.ts'
import { call, type TestUser } from '../support/client.ts'
import { enginesOf } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { noticesAbout, type Receiver, startReceiver } from '../support/receiver.ts'
import { type OwnStack, startOwnStack } from '../support/stack-process.ts'

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

/** An agent whose watchdog has something to tell; whoever wakes it tells it. */
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
  message?: string
  messageId?: string
  receives?: number
}

/** How often each message failed that the checks function could not take. */
async function failedTries(): Promise<Record<string, number[]>> {
  const text = await readFile(join(stack.dataDir, 'logs/functions.log'), 'utf8')
  const lines = text.trim().split('\n')
  const failures = lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ function: name, message }) => name === 'checks' && message === 'message failed')
  const byMessage = Map.groupBy(failures, ({ messageId = '' }) => messageId)
  return Object.fromEntries(
    [...byMessage].map(([id, tries]) => [id, tries.map(({ receives = 0 }) => receives)]),
  )
}

it('messages that no consumer can take end in the dead-letter queue; the others of their batch are done', async () => {
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
  expect(await engines.deadLetters()).toEqual({})

  await eventually(
    async () => expect(await engines.deadLetters()).toEqual({ checks: poison.length }),
    40_000,
  )
  // Its waits of 2, 4 and 8 s grow, so that a fault which passes is outlived.
  expect(performance.now() - began).toBeGreaterThan(6000)
  expect((await engines.peek('checks-dead')).toSorted()).toEqual(poison.toSorted())
  expect(await engines.depth('checks')).toBe(0)
  const tries = Array.from({ length: maxReceives }, (_, i) => i + 1)
  expect(Object.values(await failedTries())).toEqual(poison.map(() => tries))
  for (const agentId of agents) expect(await noticesAbout(receiver.url, agentId)).toHaveLength(1)
})
