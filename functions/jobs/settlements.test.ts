import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { tracestateOf, unpaidCost } from '#shared/ai/turns/cost.ts'
import { beginWrite, nameOf } from '#shared/ai/turns/turn.ts'
import { dailyUsage } from '#shared/ai/usage/queries/daily.ts'
import { readMonth } from '#shared/ai/usage/quota/parts.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { lastDays } from '#shared/platform/days.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { accountOf, agentCaller, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, startGateway } from '#tests/support/ai/gateway.ts'
import { says, startUpstream, type Upstream, usage } from '#tests/support/ai/upstream.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import {
  type MessageQueue,
  noQueues,
  startMessageQueue,
} from '#tests/support/platform/message-queue.ts'
import { type Fault, startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { jobHandler } from '../common/job.ts'
import * as settlementsJob from './settlements.ts'

fromMidMonth()

const model = 'meta-llama/llama-3.3-70b-instruct'
const tokensACall = 30
/** The number of parallel calls; SETTLEMENT_CALLS overrides it. */
const calls = Number(process.env.SETTLEMENT_CALLS ?? 60)
const month = () => new Date().toISOString().slice(0, 7)

let dir: string
let db: TestTable
let queue: MessageQueue
let upstream: Upstream
let handler: (event: SQSEvent) => Promise<SQSBatchResponse>
/** The fault of the table's next operation, if any. */
let fault: (operation: string) => Fault | undefined

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'settlements-'))
  db = await startTestTable((operation) => fault(operation))
  queue = await startMessageQueue('settlements', dir)
  upstream = await startUpstream()
  upstream.serve(model, says('x', usage(10, tokensACall - 10)))
  const config = loadConfig({
    FUNCTION_NAME: 'settlements',
    QUEUE_URL_SETTLEMENTS: queue.url,
    SQS_ENDPOINT: queue.endpoint,
    TABLE_NAME: db.tableName,
    DYNAMODB_ENDPOINT: db.endpoint,
  })
  handler = jobHandler(settlementsJob, config)
  fault = well
})
afterAll(async () => {
  await queue.close()
  await upstream.close()
  await db.close()
  await rm(dir, { recursive: true })
})

const well = () => undefined

/**
 * Transactions are throttled, executed without a response, executed normally, and rejected with a conflict, in turn.
 */
function storm() {
  const kinds: (Fault | undefined)[] = ['throttled', 'answer lost', undefined, 'conflict']
  let met = 0
  return (operation: string) =>
    operation === 'TransactWriteItems' ? kinds[met++ % kinds.length] : undefined
}

const gateway = (settlements = queue.queues) =>
  startGateway(db.table, { AI_BASE_URL: upstream.baseUrl, settlements })

async function ask(on: ReturnType<typeof gateway>, headers: Record<string, string | undefined>) {
  const answer = await on.chat(hello, { headers })
  await answer.text()
  return answer.status
}

/**
 * Delivers every message to the job twice, until none is left.
 * @returns the number of messages
 */
async function settleAll(): Promise<number> {
  let messages = 0
  let before: number
  do {
    before = messages
    await queue.deliver(async (event) => {
      messages += event.Records.length
      if (event.Records.length === 0) return { batchItemFailures: [] }
      await handler(event)
      return handler(event)
    })
  } while (messages > before)
  return messages
}

const callers: [
  string,
  () => Promise<{ userId: string; headers: Record<string, string | undefined> }>,
][] = [
  ['nobody in particular', async () => ({ userId: 'anonymous', headers: { 'x-user-id': '' } })],
  [
    'the platform’s own agent',
    async () => {
      const { headers } = await agentCaller(db.table, 'platform')
      return { userId: '@platform', headers: { ...headers, 'x-user-id': undefined } }
    },
  ],
  [
    'one user',
    async () => {
      const userId = await accountOf(db.table, solo)
      return { userId, headers: { 'x-user-id': userId } }
    },
  ],
]

describe('a call whose record fails is recorded later', () => {
  it.each(callers)(
    'many concurrent calls of %s: no call is lost, and the sums are exact',
    async (_, caller) => {
      const { userId, headers } = await caller()
      const on = gateway()
      fault = storm()
      const statuses = await Promise.all(Array.from({ length: calls }, () => ask(on, headers)))
      fault = well
      expect(new Set(statuses)).toEqual(new Set([200]))
      let late = 0
      // The messages are delayed.
      await eventually(async () => {
        late += await settleAll()
        expect(await eventsOf(db.table, userId)).toHaveLength(calls)
      })
      expect(late).toBeGreaterThan(calls / 10)
      const tokens = calls * tokensACall
      const { used, committed, held } = (await readMonth(db.table, userId, month())).tokens
      expect({ used, committed }).toEqual({ used: tokens, committed: tokens })
      expect([...held.values()].every((amount) => amount === 0)).toBe(true)
      const days = await dailyUsage(db, { scope: { userId }, days: lastDays(1) })
      expect(days).toMatchObject([{ turns: calls, total_tokens: tokens }])
    },
  )

  it('a call whose record fails is recorded later, and its turn shows until then that its cost is not final', async () => {
    const { userId, agentId, headers } = await agentCaller(db.table, solo)
    const id = newId('msg', newSeed())
    const begun = { id, agentId, kind: 'turn', by: null } as const
    await db.table.transact([beginWrite(userStore(db.table, String(userId)), begun)])
    const cost = () => unpaidCost(db.table, { userId: String(userId), name: nameOf(id) })
    fault = (operation) => (operation === 'TransactWriteItems' ? 'throttled' : undefined)
    const named = { ...headers, tracestate: tracestateOf(id), 'x-user-id': undefined }
    expect(await ask(gateway(), named)).toBe(200)
    fault = well
    expect(await cost()).toEqual({ unpaid: 0, isFinal: false })
    await eventually(async () => {
      await settleAll()
      expect(await cost()).toEqual({ unpaid: expect.any(Number), isFinal: true })
    })
    expect((await cost())?.unpaid).toBeGreaterThan(0)
  })

  it('a call whose record fails is recorded later by an operator from its log line, if no queue accepted it', async () => {
    const userId = await accountOf(db.table, solo)
    const lines: string[] = []
    const print = vi
      .spyOn(console, 'log')
      .mockImplementation((line: string) => void lines.push(line))
    fault = (operation) => (operation === 'TransactWriteItems' ? 'throttled' : undefined)
    expect(await ask(gateway(noQueues), { 'x-user-id': userId })).toBe(200)
    fault = well
    print.mockRestore()
    expect(await eventsOf(db.table, userId)).toEqual([])
    const body = lines
      .map((line) => JSON.parse(line) as Record<string, string>)
      .find(({ message }) => message?.startsWith('[UsageLogger] Failed to log usage'))
    await queue.put(body?.settlement ?? '')
    await settleAll()
    expect(await eventsOf(db.table, userId)).toHaveLength(1)
    const { used, committed } = (await readMonth(db.table, userId, month())).tokens
    expect({ used, committed }).toEqual({ used: tokensACall, committed: tokensACall })
  })
})
