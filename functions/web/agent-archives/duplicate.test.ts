import { expect, it } from 'vitest'
import { mandateRows } from '#shared/permits/mandates/rows.ts'
import { policyRows } from '#shared/permits/policy/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

const { world, scenes, archives, ada } = await restoreWorld()

it('copies config, memory and skills, and no schedule or message', async () => {
  const one = await scenes.full()
  const before = await scenes.stateOf(one)
  const { status, body, id } = await archives.copy(one)
  expect([status, body]).toEqual([
    201,
    {
      success: true,
      agent: {
        id: expect.stringMatching(/^agt_/),
        name: 'Twin',
        model: 'claude-opus-4-6',
        status: 'provisioning',
        websocketUrl: expect.any(String),
        createdAt: expect.any(String),
      },
    },
  ])
  expect(await scenes.stateOf(id)).toEqual({
    ...before,
    tasks: [],
    messages: [],
    total: 0,
    topics: [],
  })
  expect(await scenes.stateOf(one)).toEqual(before)
  const starts = world.sent.filter(({ queue }) => queue === 'provisioning')
  expect(starts.map(({ body: { kind, agentId } }) => [kind, agentId])).toEqual([['start', id]])
})

it('a duplicate keeps the switches of the original', async () => {
  const switches = { bus: true, wakeOnMessage: true, mcp: true }
  const { id } = await archives.copy(await scenes.newAgent(switches))
  expect((await scenes.stateOf(id)).config).toEqual(switches)
})

it('a duplicate and an import get the policy, but no mandate and nothing that was remembered', async () => {
  const one = await scenes.newAgent()
  await scenes.setPolicy(one, { preset: 'guarded', rules: [] })
  const store = userStore(world.table, ada.id)
  const remembered = [{ action: 'exec' as const, target: { command: 'ls' }, until: Date.now() * 2 }]
  await store.update(policyRows.sk({ agentId: one }), { set: { remembered } })
  const mandate = {
    perPaymentUsd: '1',
    perDayUsd: '1',
    perMonthUsd: '1',
    hosts: null,
    payees: null,
    askAboveUsd: null,
    validUntil: null,
    revision: 'first',
  }
  await store.put(mandateRows.sk({ agentId: one }), mandateRows.attributes(mandate))
  const copies = [await archives.copy(one), await archives.bring(await archives.take(one))]
  for (const { status, id } of copies) {
    expect(status).toBe(201)
    const policy = await policyRows.find(world.table, { userId: ada.id, agentId: id })
    expect(policy).toMatchObject({ preset: 'guarded', rules: [] })
    expect(policy).not.toHaveProperty('remembered')
    expect(await store.get(mandateRows.sk({ agentId: id }))).toBeUndefined()
  }
})

it('a duplicate is independent of the original', async () => {
  const one = await scenes.full()
  const { id } = await archives.copy(one)
  const before = await scenes.stateOf(id)
  await scenes.spoil(one)
  expect(await scenes.stateOf(id)).toEqual(before)
})

it('a duplicate is created once under an Idempotency-Key', async () => {
  const one = await scenes.full()
  const { agents } = platformOver(world.call, ada)
  const duplicate = () =>
    agents.duplicate(one, { name: 'Twin' }, { idempotencyKey: `twin-${one}` }).withResponse()
  const made = []
  for (let i = 0; i < 2; i++) {
    const { data, response } = await duplicate()
    made.push([response.status, data])
  }
  expect(made[1]).toEqual(made[0])
  expect((await archives.left()).count).toBe(2)
})

it('counts against the limit of agents, and requires a subscription', async () => {
  const one = await scenes.newAgent()
  await scenes.newAgent()
  expect((await archives.copy(one)).status).toBe(201)
  const before = await archives.left()
  const { status, body } = await archives.copy(one)
  expect([status, body.current, body.limit]).toEqual([429, 3, 3])
  const subscription = { id: null, status: 'canceled', customerId: null }
  await userStore(world.table, ada.id).update('profile', { set: { subscription } })
  expect((await archives.copy(one)).status).toBe(402)
  expect(await archives.left()).toEqual(before)
})

it('duplicating is limited to the caller’s own agents, by name', async () => {
  const one = await scenes.newAgent()
  const eve = await world.newUser('eve@b.co')
  expect((await archives.copy(one, { name: 'Twin' }, eve.session)).status).toBe(404)
  expect((await archives.copy(one, { name: 'Twin' }, `${ada.id}.wrong`)).status).toBe(401)
  expect((await archives.copy('agt_0')).status).toBe(404)
  for (const body of [{}, { name: '' }, { name: 7 }, { name: 'x'.repeat(101) }, { name: 'a\nb' }])
    expect((await archives.copy(one, body)).status).toBe(400)
  expect((await archives.left()).count).toBe(1)
})
