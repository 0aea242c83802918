import { describe, expect, it } from 'vitest'
import * as group from '#functions/web/approvals.ts'
import { pendingLimit } from '#shared/permits/approvals/park.ts'
import { approvalRows } from '#shared/permits/approvals/rows.ts'
import type { ApprovalView } from '#shared/permits/approvals/schema.ts'
import type { Effect } from '#shared/permits/policy/effect.ts'
import { auditRows } from '#shared/platform/identity/rows.ts'
import { newId } from '#shared/platform/ids.ts'
import { isoOf } from '#shared/platform/times.ts'
import { deliveryRows, endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { eventAttributes } from '#shared/signals/outbound-webhooks/types.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { effect, payment, useOwners } from '#tests/support/permits/owners.ts'
import { lostQueues } from '#tests/support/platform/context.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'

const on = useOwners()

const approve = { decision: 'approve' }

describe('approvals', () => {
  it('show what will be done, with the request', async () => {
    const world = await on.newOwner()
    const body = Buffer.from('{"name":"Ada"}')
    const id = await world.park({ request: { json: { path: '/contacts?x=1' }, body } })
    const answer = await on.call('GET', `/api/approvals/${id}`, { session: world.session })
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
    const world = await on.newOwner()
    const other = await putAgent(on.table, world.userId)
    const ids = [await world.park(), await world.park({ agent: other }), await world.park()]
    await world.decide(String(ids[0]), { decision: 'deny' })
    const idsOf = (list: ApprovalView[]) => list.map(({ id }) => id)
    const all = await world.list()
    expect(idsOf(all)).toEqual(ids.toReversed())
    for (const { details } of all)
      expect(details).toEqual({ target: effect.target, session: 'default' })
    expect(idsOf(await world.list('?state=pending'))).toEqual([ids[2], ids[1]])
    expect(idsOf(await world.list(`?agentId=${other.id}`))).toEqual([ids[1]])
    const first = await on.call('GET', '/api/approvals?limit=2', { session: world.session })
    const cursor = first.headers.get('x-next-cursor')
    expect(idsOf(await world.list(`?limit=2&cursor=${cursor}`))).toEqual([ids[0]])
  })

  it('are filtered with a bounded number of reads a page, and all are found', async () => {
    const world = await on.newOwner()
    const oldest = await world.park()
    const row = await world.store.get(approvalRows.sk({ approvalId: oldest }))
    const result = { status: 200, body: 'x'.repeat(24_000) }
    for (let i = 0; i < 260; i++) {
      const id = newId('apr')
      const done = { ...approvalRows.parse(row!), id, state: 'done' as const, result }
      await world.store.put(approvalRows.sk({ approvalId: id }), approvalRows.attributes(done))
    }
    const recorded = recording(on.table)
    const call = callerOf(group, { table: recorded.table, queues: lostQueues })
    const found: string[] = []
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(5)
      recorded.calls.length = 0
      const query = `?state=pending&limit=10${cursor && `&cursor=${cursor}`}`
      const answer = await call('GET', `/api/approvals${query}`, { session: world.session })
      expect(recorded.calls.filter((name) => name === 'query').length).toBeLessThanOrEqual(4)
      const { approvals } = (await answer.json()) as { approvals: ApprovalView[] }
      found.push(...approvals.map(({ id }) => id))
      cursor = answer.headers.get('x-next-cursor')
    }
    expect(found).toEqual([oldest])
  })

  it('do not exist for another user, and need a sign-in', async () => {
    const [world, stranger] = [await on.newOwner(), await on.newOwner()]
    const id = await world.park()
    for (const path of [id, 'apr_none', '%2e%2e']) {
      const get = await on.call('GET', `/api/approvals/${path}`, { session: stranger.session })
      const post = await stranger.decide(path, approve)
      expect([get.status, post.status]).toEqual([404, 404])
    }
    expect(await stranger.list()).toEqual([])
    expect((await on.call('POST', `/api/approvals/${id}`, { body: approve })).status).toBe(401)
    expect(await world.list()).toMatchObject([{ id, state: 'pending' }])
  })
})

describe('a decision', () => {
  it('happens once, of ten people at once', async () => {
    const world = await on.newOwner()
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
    const world = await on.newOwner()
    const id = await world.park()
    const sk = approvalRows.sk({ approvalId: id })
    await world.store.update(sk, { set: { until: isoOf(Date.now() - 1) } })
    const answer = await world.decide(id, approve)
    expect([answer.status, await answer.json()]).toMatchObject([409, { state: 'expired' }])
  })

  it('needs a key with the scope write, and for a payment the scope money', async () => {
    const world = await on.newOwner()
    const keyOf = async (...scopes: string[]) =>
      (await on.keys.newKey(world.session, scopes.join(), { scopes })).key
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
    const world = await on.newOwner()
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
    const world = await on.newOwner()
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
    const denied = await world.park()
    await world.decide(denied, { decision: 'deny' })
    const { items } = await world.store.query({ beginsWith: deliveryRows.prefix() })
    const events = items.map((item) => {
      const { text } = deliveryRows.parse(item)
      const { type, data } = JSON.parse(text) as { type: string; data: { approval: object } }
      return { type, approval: data.approval }
    })
    expect(events).toMatchObject([
      { type: 'approval.requested', approval: { id, state: 'pending', decidedBy: null } },
      { type: 'approval.decided', approval: { id, state: 'approved', note: 'Go.' } },
      { type: 'approval.requested', approval: { id: denied } },
      { type: 'approval.decided', approval: { id: denied, state: 'denied' } },
    ])
    for (const { approval } of events) expect(approval).not.toHaveProperty('details')
    const { items: audited } = await world.store.query({ beginsWith: auditRows.prefix() })
    const actor = `user:${world.userId}`
    expect(audited.slice(-2)).toMatchObject([
      { action: 'approval.approved', target: id, actor },
      { action: 'approval.denied', target: denied, actor },
    ])
  })
})

describe('parked requests', () => {
  it('that are identical wait as one, until they are decided', async () => {
    const world = await on.newOwner()
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
    const world = await on.newOwner()
    const ids = []
    for (let i = 0; i < pendingLimit; i++) ids.push(await world.park())
    const full = { kind: 'too-many-requests', code: 'APPROVALS_FULL' }
    await expect(world.park()).rejects.toMatchObject(full)
    await world.decide(String(ids[0]), { decision: 'deny' })
    const outcomes = await Promise.allSettled([world.park(), world.park(), world.park()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('are refused if they are too large', async () => {
    const world = await on.newOwner()
    const json = { number: 1 }
    const body = (bytes: number) => ({ request: { json, body: Buffer.alloc(bytes, 255) } })
    await expect(world.park(body(256 * 1024 + 1))).rejects.toMatchObject({
      kind: 'payload-too-large',
    })
    const id = await world.park(body(256 * 1024))
    expect(await world.list()).toMatchObject([{ id }])
  })
})
