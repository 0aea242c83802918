import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { pendingLimit, type Parked, park } from '#shared/permits/approvals/park.ts'
import { approvalRows } from '#shared/permits/approvals/rows.ts'
import type { ApprovalView } from '#shared/permits/approvals/schema.ts'
import { permitted } from '#shared/permits/policy/ask.ts'
import type { Effect } from '#shared/permits/policy/effect.ts'
import { policyRows } from '#shared/permits/policy/rows.ts'
import { auditRows } from '#shared/platform/identity/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { deliveryRows, endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { eventAttributes } from '#shared/signals/outbound-webhooks/types.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { lostQueues } from '#tests/support/platform/context.ts'
import * as group from '../approvals.ts'

let keys: Keys
let call: ReturnType<typeof callerOf>
beforeAll(async () => {
  keys = await startKeys()
  call = callerOf(group, { table: keys.table, queues: lostQueues })
})
afterAll(() => keys.close())

const effect: Effect = {
  action: 'broker.request',
  target: { name: 'crm', method: 'POST', host: 'api.example.com', path: '/contacts' },
}

const payment: Effect = {
  action: 'payment.send',
  target: { host: 'api.example.com', payee: `0x${'a'.repeat(40)}` },
  microUsd: 1_250_000n,
}

let users = 0

async function newWorld() {
  const { id: userId, session } = await keys.signUp(`owner${++users}@b.co`)
  const agent = await putAgent(keys.table, userId)
  let parked = 0
  const store = userStore(keys.table, userId)
  return {
    userId,
    session,
    agent,
    store,
    current: (): Promise<Agent> => requireAgent(keys, { agentId: agent.id, owner: userId }),
    park: async (more: Partial<Parked> = {}) =>
      (
        await park(keys, {
          agent,
          effect,
          session: 'default',
          summary: 'POST api.example.com/contacts',
          request: { json: { number: parked++ } },
          ...more,
        })
      ).approvalId,
    decide: (id: string, body: object, by: { session?: string; key?: string } = { session }) =>
      call('POST', `/api/approvals/${id}`, { ...by, body }),
    async list(query = '') {
      const answer = await call('GET', `/api/approvals${query}`, { session })
      return ((await answer.json()) as { approvals: ApprovalView[] }).approvals
    },
  }
}

const approve = { decision: 'approve' }

describe('approvals', () => {
  it('show what will be done, with the request', async () => {
    const world = await newWorld()
    const body = Buffer.from('{"name":"Ada"}')
    const id = await world.park({ request: { json: { path: '/contacts?x=1' }, body } })
    const answer = await call('GET', `/api/approvals/${id}`, { session: world.session })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        id,
        agentId: world.agent.id,
        action: 'broker.request',
        summary: 'POST api.example.com/contacts',
        details: {
          target: effect.target,
          session: 'default',
          request: { path: '/contacts?x=1' },
          body: '{"name":"Ada"}',
          bodyBytes: 14,
        },
        state: 'pending',
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        decidedAt: null,
        decidedBy: null,
        note: null,
        result: null,
      },
    ])
  })

  it('are listed newest first, by state and agent, page by page', async () => {
    const world = await newWorld()
    const other = await putAgent(keys.table, world.userId)
    const ids = [await world.park(), await world.park({ agent: other }), await world.park()]
    await world.decide(String(ids[0]), { decision: 'deny' })
    const idsOf = (list: ApprovalView[]) => list.map(({ id }) => id)
    expect(idsOf(await world.list())).toEqual(ids.toReversed())
    expect(idsOf(await world.list('?state=pending'))).toEqual([ids[2], ids[1]])
    expect(idsOf(await world.list(`?agentId=${other.id}`))).toEqual([ids[1]])
    const first = await call('GET', '/api/approvals?limit=2', { session: world.session })
    const cursor = first.headers.get('x-next-cursor')
    expect(idsOf(await world.list(`?limit=2&cursor=${cursor}`))).toEqual([ids[0]])
  })

  it('do not exist for another user, and need a sign-in', async () => {
    const [world, stranger] = [await newWorld(), await newWorld()]
    const id = await world.park()
    for (const path of [id, 'apr_none', '%2e%2e']) {
      const get = await call('GET', `/api/approvals/${path}`, { session: stranger.session })
      const post = await stranger.decide(path, approve)
      expect([get.status, post.status]).toEqual([404, 404])
    }
    expect(await stranger.list()).toEqual([])
    expect((await call('POST', `/api/approvals/${id}`, { body: approve })).status).toBe(401)
    expect(await world.list()).toMatchObject([{ id, state: 'pending' }])
  })
})

describe('a decision', () => {
  it('happens once, of ten people at once', async () => {
    const world = await newWorld()
    for (let round = 0; round < 5; round++) {
      const id = await world.park()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          world.decide(id, { decision: i % 2 === 0 ? 'approve' : 'deny' }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
      const taken = answers.find(({ status }) => status === 200) as Response
      const { state } = (await taken.json()) as ApprovalView
      const lost = answers.find(({ status }) => status === 409)
      expect(await lost?.json()).toMatchObject({ code: 'APPROVAL_DECIDED', state })
      expect((await world.list())[0]).toMatchObject({ state, decidedBy: `user:${world.userId}` })
    }
  })

  it('is 409 after the expiry', async () => {
    const world = await newWorld()
    const id = await world.park()
    const sk = approvalRows.sk({ approvalId: id })
    await world.store.update(sk, { set: { until: isoOf(Date.now() - 1) } })
    const answer = await world.decide(id, approve)
    expect([answer.status, await answer.json()]).toMatchObject([409, { state: 'expired' }])
  })

  it('needs a key with the scope write, and for a payment the scope money', async () => {
    const world = await newWorld()
    const keyOf = async (...scopes: string[]) =>
      (await keys.newKey(world.session, scopes.join(), { scopes })).key
    const [read, write, money] = [
      await keyOf('read'),
      await keyOf('read', 'write'),
      await keyOf('read', 'money'),
    ]
    const statuses = async (given: Effect) => {
      const found = []
      for (const key of [read, write, money])
        found.push(
          (await world.decide(await world.park({ effect: given }), approve, { key })).status,
        )
      return found
    }
    expect(await statuses(effect)).toEqual([403, 200, 403])
    expect(await statuses(payment)).toEqual([403, 403, 200])
    const refused = await world.decide('apr_none', approve, { key: read })
    expect(await refused.json()).toMatchObject({ code: 'SCOPE_REQUIRED' })
  })

  it('is refused with an invalid body', async () => {
    const world = await newWorld()
    const id = await world.park()
    for (const body of [
      {},
      { decision: 'maybe' },
      { ...approve, remember: 'day' },
      { ...approve, note: 'x'.repeat(1001) },
      { decision: 'deny', remember: 'hour' },
    ])
      expect((await world.decide(id, body)).status).toBe(400)
    expect(await world.list()).toMatchObject([{ state: 'pending' }])
  })
})

describe('the endpoints and the audit of the owner', () => {
  it('get the request and the decision, without details', async () => {
    const world = await newWorld()
    const endpointId = 'whe_1'
    const sk = endpointRows.sk({ endpointId })
    const endpoint = {
      id: endpointId,
      userId: world.userId,
      url: 'https://example.com/hook',
      ...eventAttributes(['approval.requested', 'approval.decided']),
      secret: 'sealed',
      epoch: 0,
      createdAt: isoOf(Date.now()),
    }
    await world.store.put(sk, endpointRows.attributes(endpoint))
    const id = await world.park()
    await world.decide(id, { ...approve, note: 'Go.' })
    const { items } = await world.store.query({ beginsWith: deliveryRows.prefix() })
    const events = items.map((item) => {
      const { text } = deliveryRows.parse(item)
      const { type, data } = JSON.parse(text) as { type: string; data: { approval: object } }
      return { type, ...data }
    })
    expect(events).toMatchObject([
      { type: 'approval.requested', approval: { id, state: 'pending', decidedBy: null } },
      { type: 'approval.decided', approval: { id, state: 'approved', note: 'Go.' } },
    ])
    for (const { approval } of events) expect(approval).not.toHaveProperty('details')
    const { items: audited } = await world.store.query({ beginsWith: auditRows.prefix() })
    expect(audited.at(-1)).toMatchObject({
      action: 'approval.approved',
      target: id,
      actor: `user:${world.userId}`,
    })
  })
})

describe('an approval that is remembered', () => {
  const decided = async (world: Awaited<ReturnType<typeof newWorld>>, given: Effect) =>
    permitted(keys, { agent: await world.current(), effect: given })

  const ask = { preset: 'guarded', rules: [], revision: 1 } as const

  async function guarded(rules: ReturnType<typeof policyRows.parse>['rules'] = []) {
    const world = await newWorld()
    const ids = { userId: world.userId, agentId: world.agent.id }
    await keys.table.put(policyRows.put(ids, { ...ask, rules }))
    await keys.table.update(
      { pk: `user#${world.userId}`, sk: `agent#${world.agent.id}` },
      { set: { hasPolicy: true } },
    )
    return { ...world, policy: () => policyRows.find(keys.table, ids) }
  }

  it('for an hour also holds for the same effect, and for no other', async () => {
    const world = await guarded()
    await world.decide(await world.park(), { ...approve, remember: 'hour' })
    expect(await decided(world, effect)).toEqual({ then: 'allow', rule: 'remembered' })
    const other = { ...effect, target: { ...effect.target, path: '/contacts/1' } }
    expect(await decided(world, other)).toMatchObject({ then: 'ask' })
    expect((await world.policy())?.rules).toEqual([])
  })

  it('always becomes a rule for exactly this target', async () => {
    const world = await guarded()
    await world.decide(await world.park(), { ...approve, remember: 'always' })
    await world.decide(await world.park(), { ...approve, remember: 'always' })
    expect(await decided(world, effect)).toEqual({ then: 'allow', rule: 1 })
    const { name, method, host, path } = effect.target as Record<string, string>
    expect((await world.policy())?.rules).toEqual([
      {
        action: 'broker.request',
        match: { name: [name], method: [method], host: [host], path: [path] },
        then: 'allow',
      },
    ])
  })

  it('of a payment holds for at most its amount', async () => {
    const world = await newWorld()
    await world.decide(await world.park({ effect: payment }), { ...approve, remember: 'always' })
    const ids = { userId: world.userId, agentId: world.agent.id }
    const policy = await policyRows.find(keys.table, ids)
    expect(policy?.rules).toMatchObject([{ when: { maxUsd: '1.25' }, then: 'allow' }])
    expect((await world.current()).hasPolicy).toBe(true)
  })

  it('never overrides a rule that denies', async () => {
    const rule = { action: 'broker.request', match: { host: 'api.example.com' } } as const
    const world = await guarded([
      { ...rule, when: { perDay: 5 }, then: 'ask' },
      { ...rule, then: 'deny' },
    ])
    const id = await world.park()
    const answer = await world.decide(id, { ...approve, remember: 'always' })
    expect([answer.status, (await world.list())[0]?.state]).toEqual([400, 'pending'])
  })

  it('as a denial becomes a rule that denies', async () => {
    const world = await guarded()
    await world.decide(await world.park(), { decision: 'deny', remember: 'always' })
    expect(await decided(world, effect)).toEqual({ then: 'deny', rule: 1 })
  })
})

describe('parked requests', () => {
  it('that are identical wait as one, until they are decided', async () => {
    const world = await newWorld()
    const same = { request: { json: { n: 1 }, body: Buffer.from('a') } }
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.park(same)))
    expect(new Set(ids).size).toBe(1)
    expect(await world.park({ request: { ...same.request, body: Buffer.from('b') } })).not.toBe(
      ids[0],
    )
    await world.decide(String(ids[0]), { decision: 'deny' })
    expect(await world.park(same)).not.toBe(ids[0])
  })

  it('are at most 100 pending ones of an agent', async () => {
    const world = await newWorld()
    const ids = []
    for (let i = 0; i < pendingLimit; i++) ids.push(await world.park())
    const full = { kind: 'too-many-requests', code: 'APPROVALS_FULL' }
    await expect(world.park()).rejects.toMatchObject(full)
    await world.decide(String(ids[0]), { decision: 'deny' })
    const outcomes = await Promise.allSettled([world.park(), world.park(), world.park()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('are refused if they are too large', async () => {
    const world = await newWorld()
    const json = { number: 1 }
    const body = (bytes: number) => ({ request: { json, body: Buffer.alloc(bytes, 255) } })
    await expect(world.park(body(256 * 1024 + 1))).rejects.toMatchObject({
      kind: 'payload-too-large',
    })
    const id = await world.park(body(256 * 1024))
    expect(await world.list()).toMatchObject([{ id }])
  })
})
