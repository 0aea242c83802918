import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { startSession } from '#shared/accounts/users/session.ts'
import { keyScopes } from '#shared/platform/identity/actor.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { allOperations, type Operation } from '../fuzz/operations.ts'
import { fitting, type Named } from '../fuzz/schema.ts'
import { belongingsOf, untilNothingFollows } from '../support/stack/belongings.ts'
import {
  agentOf,
  asInternal,
  call,
  chat,
  newSubscriber,
  platformOf,
  runningAgent,
  sharedTable,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'
import { seed } from '../support/vitest/seed.ts'

/** Requests per route and credential, all with ids of the owner. */
const tries = 4

interface Person extends TestUser {
  key: string
  keyId: string
}

let owner: Person
let stranger: Person
let agentId: string
/** Texts that only the owner may see. */
let marks: string[]
let named: Named
let before: unknown

async function newPerson(plan: string): Promise<Person> {
  const user = await newSubscriber(plan)
  const { key, id: keyId } = await platformOf(user).keys.create({
    name: `of ${user.email}`,
    scopes: [...keyScopes],
  })
  return { ...user, key, keyId }
}

const belongings = () => belongingsOf({ userId: owner.id, agentId })

beforeAll(async () => {
  ;[owner, stranger] = await Promise.all([newPerson('solo'), newPerson('label')])
  const name = `Agent of ${owner.email}`
  agentId = await runningAgent(owner, name)
  const message = `A secret of ${owner.email}.`
  await chat(owner, { message })
  await untilNothingFollows({ userId: owner.id, agentId })
  // The stranger already has the maximum number of agents, so no request can start a container.
  await call(`${stack().backend}/api/agents`, {
    headers: asInternal(stranger.id),
    body: { name: 'Own' },
  })
  const { subdomain } = await agentOf(owner, agentId)
  marks = [owner.email, owner.key.slice(0, 10), String(subdomain ?? name), name, message]
  const rows = await sharedTable().query({ pk: userPartition(owner.id), beginsWith: 'message#' })
  const messageId = String(rows.items[0]?.id)
  const ids = fc.constantFrom(agentId, owner.keyId, messageId, owner.id)
  const own = (value: string) => fc.constant(value)
  named = { id: ids, agentId: own(agentId), userId: own(owner.id), email: own(owner.email) }
  before = await belongings()
})

/**
 * Every combination of a route and a credential that identifies the caller. Trusted callers may give a plan to the user
 * whom they name.
 */
const cases = allOperations()
  .filter(({ path }) => !path.startsWith('/api/subscriptions/'))
  .flatMap((operation) =>
    operation.credentials
      .filter((credential) => credential !== 'agent')
      .map((credential) => ({
        operation,
        credential,
        name: `${operation.surface} ${operation.method} ${operation.path} by ${credential}`,
      })),
  )

async function credentialsOf(way: string): Promise<Record<string, string>> {
  if (way === 'internal') return asInternal(stranger.id)
  if (way === 'key') return { authorization: `Bearer ${stranger.key}` }
  return {
    cookie: `service-session=${await startSession({ table: sharedTable() }, { userId: stranger.id })}`,
  }
}

/** Puts the owner's ids and names in all fields, and in the targets that accept one. */
function aimed({ path, parameters, body }: Operation) {
  const ids = fc.record(
    Object.fromEntries(
      parameters.map(({ name, in: place, schema }) => [
        name,
        named[name] ?? (place === 'path' ? (named.id ?? fitting({})) : fitting(schema)),
      ]),
    ),
  )
  const target = ids.map((filled) => {
    const url = new URL(
      path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(filled[name]))),
      'http://surface',
    )
    for (const parameter of parameters.filter((one) => one.in === 'query'))
      url.searchParams.set(parameter.name, String(filled[parameter.name]))
    return url.pathname + url.search
  })
  return fc.record({ target, body: body ? fitting(body.schema, named) : fc.constant(undefined) })
}

describe(`another user (seed ${seed})`, () => {
  it('each identity is a caller of routes of both surfaces', () => {
    const ways = new Set(
      cases.map(({ operation, credential }) => `${operation.surface} ${credential}`),
    )
    expect(ways).toEqual(new Set(['web session', 'web key', 'backend internal', 'backend key']))
  })

  it.each(cases)('sees and changes nothing through $name', async ({ operation, credential }) => {
    const { surface, method, path } = operation
    for (const { target, body } of fc.sample(aimed(operation), { numRuns: tries, seed })) {
      const headers = {
        ...(await credentialsOf(credential)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const answer = await fetch(stack()[surface] + target, {
        method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (answer.status === 503) expect(text).toContain('is not configured')
      else expect(answer.status, `${JSON.stringify(body)} ${text}`).toBeLessThan(500)
      for (const mark of marks) expect(text).not.toContain(mark)
      // A trusted caller's DELETE answers as if the agent did not exist.
      const gone = surface === 'backend' && method === 'DELETE'
      // Routes for operators refuse the caller before they read the row.
      const refusals = path.startsWith('/api/operator/') ? [403] : [400, 404]
      // A model has no owner; the plan decides who may use it.
      const owned = path.includes('{') && !path.startsWith('/v1/models/')
      if (owned && !gone) expect(answer.status).toBeOneOf(refusals)
    }
    expect(await belongings()).toEqual(before)
  })

  it('leaves the owner’s data unchanged', async () => {
    for (const headers of [owner.session, { authorization: `Bearer ${owner.key}` }]) {
      const { status, body } = await call(`${stack().web}/api/settings`, { headers })
      expect([status, body.email]).toEqual([200, owner.email])
    }
    expect(await agentOf(owner, agentId)).toMatchObject({ status: 'running' })
  })
})
