import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { guessRows } from '#shared/accounts/oauth/rows.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { aiKeyRows } from '#shared/agents/record/rows.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { auditHeadRows } from '#shared/platform/identity/rows.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { itemsOf } from '../support/ai/gateway.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  asInternal,
  beginSession,
  call,
  newSubscriber,
  newUser,
  platformSecrets,
  sharedTable,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'
import { seed } from '../support/vitest/seed.ts'
import { allOperations, type Operation } from './operations.ts'
import { OwnIds } from './own-ids.ts'
import { type GeneratedRequest, type Ids, requests } from './requests.ts'

/** The number of requests; FUZZ_RUNS sets more, as CI does. */
const runs = Number(process.env.FUZZ_RUNS ?? 1500)
const workers = 6
/** No request waits for a model or a mail, so a later response counts as a hang. */
const timeoutMs = 15_000

const operations = allOperations()

/** Routes that begin work in the background. The test would mistake its effects for effects of the next request. */
const beginsWork =
  /^DELETE \/api\/agents\/\{id\}$|\/(chat|clone|deploy|deployments|duplicate|export|import|imports|provision|repair|reset-memory|restart|restore|run|scheduled-tasks|snapshots|start|stop|swarms|update)\b/

interface Actor {
  user: TestUser
  key: string
  /** The scoped key of the actor's agent. */
  agentKey: string
  /** The actor's rows after their last success. */
  rows: string
  own: OwnIds
}

let witness: { user: TestUser; rows: string; ids: Ids }
let actors: Actor[]

/** Returns all rows of a user, without the time of a key's last use, which refused requests change too. */
async function rowsOf(userId: string): Promise<string> {
  const items = await itemsOf(sharedTable(), userPartition(userId))
  // Leaves out the counter of wrong device codes, which also counts refused requests, what schedules write, the first
  // hold of a period that was released because the request was refused, and what a change of files stores before it:
  // its announcement to the collection, and the time when the storage was full.
  const stored = items.filter(
    ({ sk, kind, usedMicroUsd, committedMicroUsd, announcedAt, version, fullAt, taken }) =>
      sk !== guessRows.key({ userId }).sk &&
      !(announcedAt !== undefined && version === undefined) &&
      !(fullAt !== undefined && taken === undefined) &&
      kind !== 'daily' &&
      !(/^(spend|quota)#/.test(sk) && usedMicroUsd === 0 && committedMicroUsd === 0),
  )
  return JSON.stringify(stored.map((row) => ofRequests(row, auditHeadRows.key({ userId }).sk)))
}

/** Returns a row without the fields that refused requests and the hourly publishing of audit heads change. */
function ofRequests(item: Item, head: string): Item {
  const { lastUsed, announcedAt, collectAt, fullAt, gsi1sk, ...row } = item
  return row.sk === head || announcedAt !== undefined ? row : { ...row, gsi1sk }
}

async function newKey(user: TestUser): Promise<{ id: string; key: string }> {
  const url = `${stack().web}/api/keys`
  const { body } = await call(url, { headers: user.session, body: { name: 'fuzz' } })
  return { id: String(body.id), key: String(body.key) }
}

/** Creates an agent that is never started, so that only requests change it. */
async function newAgent(user: TestUser): Promise<string> {
  const url = `${stack().backend}/api/agents`
  const { body } = await call(url, { headers: asInternal(user.id), body: { name: 'Rhythm' } })
  return String(body.id)
}

/** Creates the key that the container of an agent would have. */
async function newAgentKey({ id: userId }: TestUser, agentId: string): Promise<string> {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = await platformSecrets()
  const generation = 1
  const key = await agentAiKey(encryptionKey, { id: agentId, userId }, generation)
  const hash = await sha256Hex(key)
  await sharedTable().put(aiKeyRows.put({ hash }, { agentId, userId, generation }))
  return key
}

/** Creates a user with a plan and the maximum number of agents: models answer, but no container starts. */
async function newActor(): Promise<Actor> {
  const user = await newSubscriber('label')
  const { key } = await newKey(user)
  const agentId = await newAgent(user)
  const store = userStore(sharedTable(), user.id)
  // A job follows the subscription.
  await eventually(async () => expect(await store.get('entitlement')).toHaveProperty('told'))
  // More than any plan in a request allows.
  await store.update('profile', { set: { agentCount: 1_000_000 } })
  const agentKey = await newAgentKey(user, agentId)
  return { user, key, agentKey, rows: await rowsOf(user.id), own: new OwnIds(agentId) }
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
  if (request.credential === 'agent') return { authorization: `Bearer ${actor.agentKey}` }
  if (request.credential === 'key') return { authorization: `Bearer ${actor.key}` }
  return actor.user.session
}

async function send(request: GeneratedRequest, actor: Actor) {
  const { operation, method, contentType } = request
  const isQuiet = !beginsWork.test(`${operation.method} ${operation.path}`)
  const filled = (text: string) => (isQuiet ? actor.own.resolved(operation.path, text) : text)
  const target = filled(request.target)
  const body = typeof request.body === 'string' ? filled(request.body) : request.body
  const answer = await fetch(stack()[operation.surface] + target, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'user-agent': 'curl/8.9.0',
      ...request.headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...credentialOf(request, actor),
    },
    ...(body !== undefined && {
      body: typeof body === 'string' ? new TextEncoder().encode(body) : Buffer.from(body),
    }),
  })
  const isOpenEnded = answer.ok && /\/logs\/.*\/stream$/.test(operation.path)
  const text = isOpenEnded ? '' : await answer.text()
  if (isOpenEnded) await answer.body?.cancel()
  if (answer.ok && request.as === 'actor') actor.own.keep(operation.path, text, answer.headers)
  return { status: answer.status, text }
}

/** Asserts the promises of every response. A 5xx is a fault, except if the feature has no settings here. */
function expectAnswer({ operation, method }: GeneratedRequest, status: number, text: string): void {
  // On a busy machine an engine may respond after this route's timeout, which the route then reports as it should.
  if (status === 503 && operation.path === '/health/ready') {
    if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ status: 'not ready' })
    return
  }
  const body = method === 'HEAD' ? '' : expect.stringContaining('"missing":[')
  if (status >= 500 && !isDocumented(operation, status, text))
    expect({ status, text }).toEqual({ status: 503, text: body })
  const isPage = operation.path === '/oauth/authorize' && text.startsWith('<!doctype html>')
  if (status < 400 || method === 'HEAD' || isPage) return
  const { error, errors, code = error?.code } = JSON.parse(text) as Refusal
  // This route alone reports the faults of its subject, in a field of its own (spec.md).
  const result = operation.path.endsWith('/validate-config') ? (error ?? errors) : error
  expect(result).toEqual(expect.anything())
  // The API document lists every code.
  if (typeof code === 'string') expect(operation.codes[status] ?? []).toContain(code)
}

/** Returns whether the feature of a 5xx is missing in the platform or in the stand-in model, or a service is unreachable. */
function isDocumented({ path }: Operation, status: number, text: string): boolean {
  if (status === 501) return path.endsWith('/verify')
  if (status === 502 && /\/(?:channels|connections)\b/.test(path)) return true
  return status === 502 && path === '/v1/embeddings' && text.includes('"AI_UNAVAILABLE"')
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
  // A success may have ended the session, which the next request needs again.
  await renew(actor)
}

function asksModel({ operation }: GeneratedRequest): boolean {
  return ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/api/ai/chat'].includes(
    operation.path,
  )
}

/** Usage is recorded after a model's answer, and must not be mistaken for an effect of the next request. */
async function untilRecorded({ user, rows }: Actor): Promise<void> {
  const events = (text: string) => text.match(/"sk":"usage#/g)?.length ?? 0
  await eventually(async () => expect(events(await rowsOf(user.id))).toBeGreaterThan(events(rows)))
}

async function renew(actor: Actor): Promise<void> {
  actor.user.session = await beginSession(actor.user.id)
  actor.rows = await rowsOf(actor.user.id)
}

it(
  `answers ${runs} generated requests without an internal error, and a rejection changes nothing (seed ${seed})`,
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
