import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { auditHeadRows } from '../../shared/identity/rows.ts'
import { guessRows } from '../../shared/oauth/rows.ts'
import type { Item } from '../../shared/platform/table/port.ts'
import { userPartition, userStore } from '../../shared/platform/table/user-store.ts'
import { eventually } from '../support/eventually.ts'
import { itemsOf } from '../support/gateway.ts'
import {
  asInternal,
  beginSession,
  call,
  newSubscriber,
  newUser,
  sharedTable,
  stack,
  type TestUser,
} from '../support/platform.ts'
import { allOperations } from './operations.ts'
import { type GeneratedRequest, type Ids, requests } from './requests.ts'

/** Requests in all; FUZZ_RUNS asks for more, as CI does. */
const runs = Number(process.env.FUZZ_RUNS ?? 1500)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const workers = 6
/** Nothing here waits for a model or a mail; who has not answered by then hangs. */
const timeoutMs = 15_000

const operations = allOperations()

interface Actor {
  user: TestUser
  key: string
  /** The actor's rows as they were after their last success. */
  rows: string
}

let witness: { user: TestUser; rows: string; ids: Ids }
let actors: Actor[]

/** Everything that a user has. When a key was last used is noted for refused requests too. */
async function rowsOf(userId: string): Promise<string> {
  const items = await itemsOf(sharedTable(), userPartition(userId))
  // Wrong codes of devices are counted, as requests are: too many at once are refused.
  const kept = items.filter(({ sk }) => sk !== guessRows.key({ userId }).sk)
  return JSON.stringify(kept.map((row) => ofRequests(row, auditHeadRows.key({ userId }).sk)))
}

/** What requests alone change: the hourly schedule that publishes heads writes into them when it does so next. */
function ofRequests({ lastUsed: _lastUsed, gsi1sk, ...row }: Item, head: string): Item {
  return row.sk === head ? row : { ...row, gsi1sk }
}

async function newKey(user: TestUser): Promise<{ id: string; key: string }> {
  const url = `${stack().web}/api/keys`
  const { body } = await call(url, { headers: user.session, body: { name: 'fuzz' } })
  return { id: String(body.id), key: String(body.key) }
}

/** An agent that is never started, so that nothing but requests ever changes it. */
async function newAgent(user: TestUser): Promise<string> {
  const url = `${stack().backend}/api/agents`
  const { body } = await call(url, { headers: asInternal(user.id), body: { name: 'Rhythm' } })
  return String(body.id)
}

/** Has paid, and has all the agents that the plan allows: models answer, but no container is ever started. */
async function newActor(): Promise<Actor> {
  const user = await newSubscriber('label')
  const { key } = await newKey(user)
  await newAgent(user)
  // More than any plan's name in a request could allow.
  await userStore(sharedTable(), user.id).update('profile', { set: { agentCount: 1_000_000 } })
  return { user, key, rows: await rowsOf(user.id) }
}

beforeAll(async () => {
  const user = await newUser()
  const [key, agentId] = [await newKey(user), await newAgent(user)]
  const ids = { id: [agentId, key.id], agentId: [agentId], apiKey: [key.key.slice(0, -1)] }
  witness = { user, rows: await rowsOf(user.id), ids }
  actors = await Promise.all(Array.from({ length: workers }, newActor))
})

function credentialOf(request: GeneratedRequest, actor: Actor): Record<string, string> {
  if (request.as === 'anonymous') return {}
  if (request.as === 'stranger')
    return request.credential === 'session'
      ? { cookie: `service-session=${actor.user.id}.${'A'.repeat(43)}` }
      : { authorization: request.forged }
  if (request.credential === 'internal')
    return {
      ...asInternal(actor.user.id),
      'x-user-plan': 'network',
      'x-billing-subscription-id': 'sub_fuzz',
    }
  if (request.credential === 'key') return { authorization: `Bearer ${actor.key}` }
  return actor.user.session
}

async function send(request: GeneratedRequest, actor: Actor) {
  const { operation, target, contentType, body } = request
  const answer = await fetch(stack()[operation.surface] + target, {
    method: operation.method,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'user-agent': 'curl/8.9.0',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...credentialOf(request, actor),
    },
    ...(body !== undefined && { body: new TextEncoder().encode(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** What is promised of every answer to every request. A fault is one but for what lacks its settings here. */
function expectAnswer({ operation }: GeneratedRequest, status: number, text: string): void {
  // On a busy machine an engine may take longer than this route waits for it, and to say so is what the route is for.
  if (status === 503 && operation.path === '/health/ready') {
    expect(JSON.parse(text)).toMatchObject({ status: 'not ready' })
    return
  }
  const unconfigured = { status: 503, text: expect.stringContaining('"missing":[') }
  if (status >= 500) expect({ status, text }).toEqual(unconfigured)
  if (status < 400) return
  const { error, errors, code = error?.code } = JSON.parse(text) as Refusal
  // spec.md: this one route tells all faults of what it judges, by a name of its own.
  const told = operation.path.endsWith('/validate-config') ? (error ?? errors) : error
  expect(told).toEqual(expect.anything())
  // A client is told beforehand of every code.
  if (typeof code === 'string') expect(operation.codes[status] ?? []).toContain(code)
}

interface Refusal {
  error?: { code?: string | null }
  errors?: string[]
  code?: string
}

async function check(request: GeneratedRequest, actor: Actor): Promise<void> {
  const { status, text } = await send(request, actor)
  expectAnswer(request, status, text)
  if (request.as !== 'actor') return
  if (status === 200 && asksModel(request)) await untilRecorded(actor)
  const rows = await rowsOf(actor.user.id)
  if (rows === actor.rows) return
  if (status >= 400) expect(JSON.parse(rows)).toEqual(JSON.parse(actor.rows))
  // What succeeded may have ended the session, which the next request needs again.
  await renew(actor)
}

function asksModel({ operation }: GeneratedRequest): boolean {
  return ['/v1/chat/completions', '/api/ai/chat'].includes(operation.path)
}

/** What a model's answer used is recorded once it is out, so it must not be taken for the next request's doing. */
async function untilRecorded({ user, rows }: Actor): Promise<void> {
  const events = (text: string) => text.match(/"sk":"usage#/g)?.length ?? 0
  await eventually(async () => expect(events(await rowsOf(user.id))).toBeGreaterThan(events(rows)))
}

async function renew(actor: Actor): Promise<void> {
  actor.user.session = await beginSession(actor.user.id)
  actor.rows = await rowsOf(actor.user.id)
}

it(
  `answers ${runs} generated requests without a fault, and changes nothing where it refuses (seed ${seed})`,
  async () => {
    const arbitrary = requests(operations, witness.ids)
    expect(witness.ids.agentId?.[0]).toMatch(/^agt_/)
    await Promise.all(
      actors.map((actor, worker) =>
        fc.assert(
          fc.asyncProperty(arbitrary, (request) => check(request, actor)),
          { numRuns: Math.ceil(runs / workers), seed: seed + worker, endOnFailure: true },
        ),
      ),
    )
    expect(await rowsOf(witness.user.id)).toBe(witness.rows)
  },
  60_000 + runs * 30,
)
