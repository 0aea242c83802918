import { expect, it } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { removeMandate } from '#shared/permits/mandates/remove.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { actionsOf } from '#tests/support/accounts/audit.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'

const scene = usePayScene()

const amounts = { perPaymentUsd: '1', perDayUsd: '5.50', perMonthUsd: '50' }
const unused = { usedTodayUsd: '0', usedThisMonthUsd: '0' }
const open = {
  ...amounts,
  hosts: null,
  payees: null,
  askAboveUsd: null,
  validUntil: null,
  ...unused,
}
const payee = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const set = (body: unknown, key?: string) =>
  scene.call('PUT', '/mandate', { body, ...(key !== undefined && { key }) })

it('a mandate is set, returned, replaced and deleted', async () => {
  expect(await scene.call('GET', '/mandate')).toEqual({
    status: 404,
    body: { error: 'Mandate not found' },
  })
  expect(await set(amounts)).toEqual({ status: 200, body: open })
  const narrow = {
    ...amounts,
    hosts: ['API.example.com.:443', 'api.example.com:8443'],
    payees: [payee.toLowerCase()],
    askAboveUsd: '0.5',
    validUntil: '2030-01-01T01:00:00+01:00',
  }
  const stored = {
    ...narrow,
    hosts: ['api.example.com', 'api.example.com:8443'],
    payees: [payee],
    validUntil: '2030-01-01T00:00:00.000Z',
    ...unused,
  }
  expect(await set(narrow)).toEqual({ status: 200, body: stored })
  expect(await scene.call('GET', '/mandate')).toEqual({ status: 200, body: stored })
  expect(await set(amounts)).toEqual({ status: 200, body: open })
  expect((await scene.call('DELETE', '/mandate')).body).toEqual({ success: true })
  expect((await scene.call('DELETE', '/mandate')).status).toBe(404)
  expect((await scene.call('GET', '/mandate')).status).toBe(404)
})

it.each([
  {},
  { ...amounts, perDayUsd: 5 },
  { ...amounts, perDayUsd: '-1' },
  { ...amounts, perDayUsd: '1e3' },
  { ...amounts, perDayUsd: '0.0000001' },
  { ...amounts, perMonthUsd: '1000000000.000001' },
  { ...amounts, hosts: ['https://api.example.com'] },
  { ...amounts, hosts: ['api.example.com/path'] },
  { ...amounts, hosts: '*' },
  { ...amounts, payees: ['ada.eth'] },
  { ...amounts, payees: ['0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'] },
  { ...amounts, askAboveUsd: 'all' },
  { ...amounts, validUntil: 'tomorrow' },
])('a mandate of %j is refused', async (body) => {
  expect((await set(body)).status).toBe(400)
})

it('another user’s agent has no mandate', async () => {
  const other = await scene.newAgent()
  await set(amounts)
  for (const method of ['GET', 'DELETE'])
    expect((await scene.call(method, '/mandate', { session: other.user.session })).status).toBe(404)
  const { status } = await scene.call('PUT', '/mandate', {
    session: other.user.session,
    body: amounts,
  })
  expect(status).toBe(404)
})

it('a key needs the scope money to allow more, and write is enough to allow less', async () => {
  const { session } = scene.agent.user
  const { key: writer } = await scene.accounts.newKey(session, 'writer', { scopes: ['write'] })
  const { key: payer } = await scene.accounts.newKey(session, 'payer', { scopes: ['money'] })
  const { key: reader } = await scene.accounts.newKey(session, 'reader', { scopes: ['read'] })
  const refused = { status: 403, body: expect.objectContaining({ code: 'SCOPE_REQUIRED' }) }
  expect(await set(amounts, writer)).toEqual(refused)
  expect((await set({ ...amounts, hosts: ['a.example'], askAboveUsd: '1' }, payer)).status).toBe(
    200,
  )
  const kept = { ...amounts, hosts: ['a.example'], askAboveUsd: '1' }
  for (const more of [
    { perPaymentUsd: '1.000001' },
    { perDayUsd: '6' },
    { perMonthUsd: '51' },
    { hosts: null },
    { hosts: ['a.example', 'b.example'] },
    { askAboveUsd: '2' },
    { askAboveUsd: null },
  ])
    expect(await set({ ...kept, ...more }, writer)).toEqual(refused)
  expect(
    (await set({ ...kept, perDayUsd: '5', validUntil: '2030-01-01T00:00:00Z' }, writer)).status,
  ).toBe(200)
  expect(await set({ ...kept, perDayUsd: '5' }, writer)).toEqual(refused)
  expect((await scene.call('GET', '/mandate', { key: reader })).status).toBe(200)
  expect((await scene.call('GET', '/mandate', { key: payer })).status).toBe(200)
  expect(await scene.call('DELETE', '/mandate', { key: reader })).toEqual(refused)
  expect((await scene.call('DELETE', '/mandate', { key: writer })).status).toBe(200)
})

it('changes are audited', async () => {
  const actions = await actionsOf(scene.accounts.table, scene.agent.user.id, async () => {
    await set(amounts)
    await scene.call('DELETE', '/mandate')
  })
  expect(actions).toEqual(['mandate.changed', 'mandate.changed'])
})

it('a deleted agent loses its mandate, and gets none while it is deleted', async () => {
  await set(amounts)
  const { agentId, user } = scene.agent
  const { table } = scene.accounts
  const agent = await readAgent(table, { userId: user.id, agentId })
  if (agent === undefined) throw new Error('no agent')
  await changeAgent({ table }, { agent, decide: (now) => ({ ...now, deleting: true }) })
  expect((await set(amounts)).status).toBe(404)
  const store = userStore(table, user.id)
  expect(await removeMandate({ table, store, agentId, deadline: Infinity })).toBe(true)
  expect(await store.get(`mandate#${agentId}`)).toBeUndefined()
})

it('a mandate has its use of today and of this month', async () => {
  await scene.allow()
  for (let i = 0; i < 2; i++) await (await scene.buy()).text()
  const used = { usedTodayUsd: '0.02', usedThisMonthUsd: '0.02' }
  expect((await scene.call('GET', '/mandate')).body).toMatchObject(used)
  expect((await set(amounts)).body).toEqual({ ...open, ...used })
})

it('payments are listed page by page and by month', async () => {
  await scene.allow()
  for (let i = 0; i < 3; i++) await (await scene.buy()).text()
  const month = new Date().toISOString().slice(0, 7)
  const all = await scene.payments()
  expect(all).toHaveLength(3)
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  )
  expect(await scene.payments(`?month=${month}`)).toEqual(all)
  expect(await scene.payments('?month=2020-01')).toEqual([])
  expect(await scene.payments('?limit=2')).toEqual(all.slice(0, 2))
  expect((await scene.call('GET', '/payments?month=2020-13')).status).toBe(400)
  const other = await scene.newAgent()
  expect((await scene.call('GET', '/payments', { session: other.user.session })).status).toBe(404)
})
