import { writeSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { tracestateOf } from '#shared/ai/turns/cost.ts'
import { beginWrite } from '#shared/ai/turns/turn.ts'
import { monthOf } from '#shared/ai/usage/month.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { agentCaller, keyHolder, type Owner, solo } from '#tests/support/ai/callers.ts'
import { hello, startGateway } from '#tests/support/ai/gateway.ts'
import { says, startUpstream, type Upstream, usage } from '#tests/support/ai/upstream.ts'
import { grantCredits } from '#tests/support/billing/credits.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'

const model = 'openai/gpt-4o'

let db: TestTable
let upstream: Upstream
/** Each entry is a group of requests that were sent in parallel; entries are sequential. */
let trips: string[][] = []
let underWay = 0
let gateway: ReturnType<typeof startGateway>

beforeAll(async () => {
  db = await startTestTable()
  upstream = await startUpstream()
  upstream.serve(model, (response, asked) => {
    trips.push(['model'])
    return says('x', usage(1, 1))(response, asked)
  })
})
afterAll(async () => {
  await upstream.close()
  await db.close()
})
beforeEach(() => {
  gateway = startGateway(counted(db.table), { AI_BASE_URL: upstream.baseUrl, RATE_LIMITS: 'on' })
})

function counted(table: Table): Table {
  return new Proxy(table, {
    get(target, name: keyof Table) {
      return async (...args: never[]) => {
        if (underWay++ === 0) trips.push([])
        trips.at(-1)?.push(name)
        try {
          return await (target[name] as (...args: never[]) => Promise<unknown>)(...args)
        } finally {
          underWay--
        }
      }
    },
  })
}

const capped: Owner = { ...solo, spendCapUsd: 5 }
const config = { spendCapUsd: 5 }

const callers: [string, () => Promise<Record<string, string>>][] = [
  ['the platform for no user', async () => ({ 'x-user-id': '' })],
  [
    'the platform for a user',
    async () => ({ 'x-user-id': (await keyHolder(db.table, solo)).userId }),
  ],
  [
    'the platform for a user with a cap',
    async () => ({ 'x-user-id': (await keyHolder(db.table, capped)).userId }),
  ],
  ['a user', async () => (await keyHolder(db.table, solo)).headers],
  ['a user with a cap', async () => (await keyHolder(db.table, capped)).headers],
  [
    'a user without a quota and a cap',
    async () => (await keyHolder(db.table, { ...solo, plan: 'network' })).headers,
  ],
  [
    'a user who chooses providers by key and request',
    async () => {
      const limits = { routing: { weights: { router: 1 }, maxPriceUsd: { output: 100 } } }
      const { headers } = await keyHolder(db.table, solo, { limits })
      return { ...headers, 'x-routing': '{"order":["router"]}', 'x-session-id': 's' }
    },
  ],
  ['an agent', async () => (await agentCaller(db.table, solo)).headers],
  ['an agent with a cap', async () => (await agentCaller(db.table, solo, { config })).headers],
  [
    'an agent with a cap whose owner has one',
    async () => (await agentCaller(db.table, capped, { config })).headers,
  ],
]

/** The requests to the table for one model call, with the model call among them. */
async function tripsOf(
  call: 'aiChat' | 'chat',
  headers: Record<string, string>,
): Promise<{ before: string[][]; after: string[][] }> {
  // The last use of a key is recorded once a minute, and requests do not wait for it.
  await gateway.models({ headers })
  while (underWay > 0) await new Promise(setImmediate)
  trips = []
  expect((await gateway[call]({ ...hello, model }, { headers })).status).toBe(200)
  const asked = trips.findIndex(([name]) => name === 'model')
  return { before: trips.slice(0, asked), after: trips.slice(asked + 1) }
}

/** Also printed if the reporter hides the output of passing tests. */
const print = (line: string) => writeSync(1, `${line}\n`)

const written = (all: string[][]) => all.map((trip) => trip.join(' + ')).join(', ') || 'none'

it.each(callers)(
  'a chat of %s makes at most two table requests before the model, and one after it',
  async (caller, headersOf) => {
    const { before, after } = await tripsOf('chat', await headersOf())
    print(`${caller}: ${written(before)} → model → ${written(after)}`)
    expect(before.flat().length).toBeLessThanOrEqual(2)
    expect(after.flat()).toEqual(['transact'])
  },
)

it('above the quota, on credits, a chat waits for one table request more', async () => {
  const { userId, headers } = await keyHolder(db.table, solo)
  await grantCredits(db.table, userId, 1)
  const used = 2_000_000
  await db.table.put({ ...quotaKey(userId, monthOf(Date.now())), used, committed: used })
  const { before, after } = await tripsOf('chat', headers)
  print(`a user on credits: ${written(before)} → model → ${written(after)}`)
  // The credits and the slot of the call are held in parallel.
  expect(before).toEqual([['getMany'], ['update'], ['update', 'update']])
  expect(after.flat()).toEqual(['transact'])
})

it('within the quota credits cost no request', async () => {
  const { userId, headers } = await keyHolder(db.table, solo)
  await grantCredits(db.table, userId, 1)
  const { before, after } = await tripsOf('chat', headers)
  expect(before.flat().length).toBeLessThanOrEqual(2)
  expect(after.flat()).toEqual(['transact'])
})

it('with spend limits of its key, only the first call of a period waits for more', async () => {
  const limits = { usdPerDay: 5, usdPerMonth: 20, models: [model] }
  const { headers } = await keyHolder(db.table, solo, { limits })
  const first = await tripsOf('chat', headers)
  print(`a limited key, first call: ${written(first.before)} → model → ${written(first.after)}`)
  const { before, after } = await tripsOf('chat', headers)
  print(`a limited key: ${written(before)} → model → ${written(after)}`)
  expect(before).toEqual([['getMany'], ['transact']])
  expect(after.flat()).toEqual(['transact'])
})

it.each([
  [false, 'no request more'],
  [true, 'one request more, which reads the turn'],
])('a turn of a key, with spend limits: %s, causes %s', async (hasLimits) => {
  const { userId, agentId, headers } = await agentCaller(db.table, solo)
  const keyLimits = hasLimits ? { keyLimits: { usdPerDay: 5 } } : {}
  const id = newId('msg', newSeed())
  const key = { keyId: 'key_1', keyName: null }
  const turn = { id, agentId, kind: 'turn', by: null, key, ...keyLimits } as const
  await db.table.transact([beginWrite(userStore(db.table, String(userId)), turn)])
  const named = { ...headers, tracestate: tracestateOf(id, hasLimits) }
  await tripsOf('chat', named)
  const { before } = await tripsOf('chat', named)
  print(`an agent in a turn of a key, limited: ${hasLimits}: ${written(before)}`)
  expect(before).toEqual(
    hasLimits ? [['getMany'], ['get'], ['transact']] : [['getMany'], ['update']],
  )
})

it('a limit of requests per minute is counted with the other limits of the user', async () => {
  const limits = { requestsPerMinute: 60 }
  const { headers } = await keyHolder(db.table, solo, { limits })
  const { before } = await tripsOf('aiChat', headers)
  expect(before.map((trip) => trip.length)).toEqual([1, 1, 1])
})

const known = callers.filter(([caller]) => !/^an agent|no user$/.test(caller))

it.each(known)(
  'with a request limit, %s waits for its count too, after authentication',
  async (caller, headersOf) => {
    const { before, after } = await tripsOf('aiChat', await headersOf())
    print(`${caller}, /api/ai/chat: ${written(before)} → model → ${written(after)}`)
    expect(before.map((trip) => trip.length)).toEqual([1, 1, 1])
    expect(after.flat()).toEqual(['transact'])
  },
)
