import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { allOperations } from '../fuzz/operations.ts'
import type { Named } from '../fuzz/schema.ts'
import { bodyFor } from '../support/http/body-for.ts'
import { allRoutes, type SurfaceRoute } from '../support/http/routes.ts'
import { belongingsOf, untilNothingFollows } from '../support/stack/belongings.ts'
import {
  agentOf,
  agentsOf,
  asInternal,
  call,
  chat,
  newSubscriber,
  runningAgent,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

let owner: TestUser
let stranger: TestUser
let agentId: string
let before: unknown

const belongings = () => belongingsOf({ userId: owner.id, agentId })

beforeAll(async () => {
  ;[owner, stranger] = await Promise.all([newSubscriber(), newSubscriber()])
  agentId = await runningAgent(owner)
  await chat(owner, { message: 'A secret of mine.' })
  await untilNothingFollows({ userId: owner.id, agentId })
  before = await belongings()
})

/** Values of fields with rules that their JSON schema does not describe. */
const ruled: Named = {
  hosts: fc.constant(['api.example.com']),
  header: fc.constant('authorization: Bearer {value}'),
  url: fc.constant('https://mcp.example.com/mcp'),
}

const operations = allOperations()

/** Returns a body that a route accepts. @throws Error if none fits; its fields then need a value in `ruled` */
function bodyOf({ surface, route }: SurfaceRoute): unknown {
  const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
  const operation = operations.find(
    (one) => one.surface === surface && one.method === route.method && one.path === path,
  )
  return bodyFor(route.body ?? z.unknown(), operation?.body?.schema ?? {}, ruled)
}

/** A query that each of the routes accepts. */
const anyQuery = '?path=x'

const byId = (await allRoutes()).filter(({ route }) => route.path.startsWith('/api/agents/:id'))

describe("another user's agent", () => {
  it('is named in routes of both surfaces', () => {
    expect(new Set(byId.map(({ surface }) => surface))).toEqual(new Set(['web', 'backend']))
  })

  it.each(byId)('does not exist for $name', async (one) => {
    const { surface, route, name } = one
    const asStranger = surface === 'web' ? stranger.session : asInternal(stranger.id)
    const address = stack()[surface] + route.path.replace(':id', agentId) + anyQuery
    const { status, body } = await call(address, {
      method: route.method,
      headers: asStranger,
      ...(route.body !== undefined && { body: bodyOf(one) }),
    })
    // A trusted caller's DELETE answers as if the agent did not exist.
    const expected =
      surface === 'backend' && route.method === 'DELETE'
        ? [200, { id: agentId, deleted: true }]
        : [404, { error: 'Agent not found' }]
    const hint =
      status === 400
        ? `${name} rejects its generated body before it looks for the agent: give the named field a value in \`ruled\` of this file`
        : 'the response'
    expect([status, body], `${hint}`).toEqual(expected)
    expect(await belongings()).toEqual(before)
  })

  it('cannot be deployed', async () => {
    const url = `${stack().backend}/api/deployments`
    const { status } = await call(url, { headers: asInternal(stranger.id), body: { agentId } })
    expect(status).toBe(404)
  })

  it.each([false, true])('cannot be talked to (stream: %s)', async (stream) => {
    const { status, body } = await chat(stranger, { message: 'Psst.', agentId, stream })
    expect([status, body]).toEqual([404, { error: 'Agent not found' }])
  })

  it('shows no history', async () => {
    const url = `${stack().web}/api/chat?agentId=${agentId}`
    const { status, body } = await call(url, { headers: stranger.session })
    expect([status, body]).toEqual([404, { error: 'Agent not found' }])
  })

  it('is in no list', async () => {
    expect(await agentsOf(stranger)).toEqual([])
    const url = `${stack().backend}/api/agents`
    expect((await call(url, { headers: asInternal(stranger.id) })).body).toEqual([])
    expect((await call(`${stack().web}/api/agents`)).body).toMatchObject({ agents: [], count: 0 })
  })

  it('is unchanged by all requests', async () => {
    expect(await belongings()).toEqual(before)
    expect(await agentOf(owner, agentId)).toMatchObject({ status: 'running' })
  })
})

describe('an identity', () => {
  it("cannot be combined from one user's id and another's token", async () => {
    const token = stranger.session.cookie.split('.')[1] ?? ''
    const forged = { cookie: `service-session=${owner.id}.${token}` }
    const { status } = await call(`${stack().web}/api/settings`, { headers: forged })
    expect(status).toBe(401)
    const listed = await call(`${stack().web}/api/agents`, { headers: forged })
    expect(listed.body).toMatchObject({ agents: [], count: 0 })
  })

  it.each(['x-user-id', 'x-user-email', 'x-user-role'])(
    'is not read from %s on the web surface',
    async (name) => {
      const value = { 'x-user-id': owner.id, 'x-user-email': owner.email }[name] ?? 'admin'
      const headers = { ...stranger.session, [name]: value }
      const { body } = await call(`${stack().web}/api/settings`, { headers })
      expect(body.id).toBe(stranger.id)
      expect((await call(`${stack().web}/api/agents/${agentId}`, { headers })).status).toBe(404)
    },
  )

  it('an identity that contains key syntax is rejected', async () => {
    const url = `${stack().backend}/api/agents/${agentId}`
    for (const id of [`${owner.id}#x`, 'usr_1#agent', '@platform', '*'])
      expect((await call(url, { headers: asInternal(id) })).status).toBeOneOf([400, 404])
  })
})
