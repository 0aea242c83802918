import { describe, expect, it } from 'vitest'
import { tracestateOf, unpaidCost } from '#shared/ai/turns/cost.ts'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { beginWrite, nameOf, type NewTurn } from '#shared/ai/turns/turn.ts'
import { quotaKey, spendKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { listRuns } from '#shared/conversations/runs/list.ts'
import { dayOf } from '#shared/platform/days.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { agentCaller, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, itemsOf, useGateway } from '#tests/support/ai/gateway.ts'
import { useOwnKeys } from '#tests/support/ai/own-keys.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'
import { grantCredits } from '#tests/support/billing/credits.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const on = useGateway()
const own = useOwnKeys()
const model = 'openai/gpt-4o'

/** Starts a turn of an agent's owner. */
async function asked() {
  on.upstream.serve(model, says('Fine.', usage(1000, 100)))
  const agent = await agentCaller(on.table, solo)
  const userId = String(agent.userId)
  const turn = async (
    group?: string,
    agentId = agent.agentId,
    key?: NewTurn['key'],
    mostDrawnMicroUsd?: number,
    keyLimits?: NewTurn['keyLimits'],
  ) => {
    const id = newId('msg', newSeed())
    const kind = group === undefined ? 'turn' : 'swarm'
    const begin = beginWrite(userStore(on.table, userId), {
      id,
      agentId,
      kind,
      by: null,
      group,
      key,
      keyLimits,
      mostDrawnMicroUsd,
    })
    await on.table.transact([begin])
    return id
  }
  const call = (tracestate: string, more: { max_tokens?: number } = {}) =>
    on.gateway.chat(
      { ...hello, model, ...more },
      { headers: { ...agent.headers, tracestate, 'x-user-id': undefined } },
    )
  const runs = () => listRuns({ table: on.table, owner: userId }, {})
  return { userId, agentId: agent.agentId, turn, call, runs }
}

describe('what a turn costs', () => {
  it('is the sum of the calls that name it', async () => {
    const { turn, call, runs } = await asked()
    const id = await turn()
    expect(await runs()).toMatchObject([{ id, costUsd: null }])
    await call(tracestateOf(id))
    await call(`other=1, ${tracestateOf(id)},more=2`)
    expect(await runs()).toMatchObject([{ id, costUsd: 0.007 }])
  })

  it('the cost of a swarm is the sum of its members, once each is known', async () => {
    const { turn, call, runs } = await asked()
    const run = newId('swr')
    const [first, second] = [await turn(run), await turn(run)]
    await call(tracestateOf(first))
    expect(await runs()).toMatchObject([{ id: run, costUsd: null }])
    await call(tracestateOf(second))
    expect(await runs()).toMatchObject([{ id: run, costUsd: 0.007 }])
  })

  it('excludes calls of other agents, of other users, and of no turn', async () => {
    const { userId, turn, call, runs } = await asked()
    const theirs = await asked()
    const other = await turn(undefined, newId('agt'))
    const hers = await theirs.turn()
    const states = [other, hers, newId('msg')].map((id) => tracestateOf(id))
    for (const state of [...states, 'agent-platform=', 'agent-platform=../../x'])
      expect((await call(state)).status).toBe(200)
    expect(await eventsOf(on.table, userId)).toHaveLength(5)
    expect(await runs()).toMatchObject([{ id: other, costUsd: null }])
    expect(await theirs.runs()).toMatchObject([{ id: hers, costUsd: null }])
  })
})

describe('the cost of a turn in addition to other payments', () => {
  const month = new Date().toISOString().slice(0, 7)

  it('excludes the credits paid', async () => {
    const { userId, turn, call } = await asked()
    await grantCredits(on.table, userId, 0.02)
    const used = 2_000_000
    await on.table.put({ ...quotaKey(userId, month), used, committed: used })
    const id = await turn()
    const unpaid = async () => (await unpaidCost(on.table, { userId, name: nameOf(id) }))?.unpaid
    expect(await unpaid()).toBe(0)
    // It costs 3,500 millionths of a dollar; there are credits for 2,000.
    await call(tracestateOf(id))
    expect(await unpaid()).toBe(1500)
  })

  it.each<[string, number, number[], number]>([
    ['no more credits than its answer earns', 300_000, [200, 429], 3500],
    ['no credits if one call may cost more than its answer earns', 5000, [429, 429], 0],
  ])('draws, in the turn of a sold answer, %s', async (_, earned, statuses, drawn) => {
    const { userId, turn, call } = await asked()
    await grantCredits(on.table, userId, 20)
    const used = 2_000_000
    await on.table.put({ ...quotaKey(userId, month), used, committed: used })
    const id = await turn(undefined, undefined, undefined, earned)
    const key = turnRows.key({ userId, name: nameOf(id) })
    const first = await call(tracestateOf(id))
    expect((await on.table.get(key))?.paidMicroUsd ?? 0).toBe(drawn)
    if (drawn > 0) await on.table.update(key, { set: { paidMicroUsd: earned } })
    const second = await call(tracestateOf(id))
    expect([first.status, second.status]).toEqual(statuses)
    expect(((await second.json()) as { error: { code: string } }).error.code).toBe('QUOTA_EXCEEDED')
    // The owner's own turns draw as before.
    expect((await call(tracestateOf(await turn()))).status).toBe(200)
  })

  it('draws no more than a sold answer earns by concurrent calls together', async () => {
    const { userId, turn, call } = await asked()
    await grantCredits(on.table, userId, 20)
    const used = 2_000_000
    await on.table.put({ ...quotaKey(userId, month), used, committed: used })
    // Enough for one call with this limit.
    const id = await turn(undefined, undefined, undefined, 1900)
    const calls = [1, 2, 3].map(() => call(tracestateOf(id), { max_tokens: 100 }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 429, 429])
    const row = await on.table.get(turnRows.key({ userId, name: nameOf(id) }))
    expect(row).toMatchObject({ paidMicroUsd: 3500, heldMicroUsd: 0 })
  })

  it('is zero for calls by the user’s own provider keys', async () => {
    own.vendor.serve('gpt-4o', says('own', usage(1000, 100)))
    const { userId, agentId, headers } = await agentCaller(own.table, solo)
    await own.sealFor(String(userId), { openai: 'sk-own' })
    const id = newId('msg', newSeed())
    const begun = { id, agentId, kind: 'turn', by: null } as const
    await own.table.transact([beginWrite(userStore(own.table, String(userId)), begun)])
    const named = { headers: { ...headers, tracestate: tracestateOf(id), 'x-user-id': undefined } }
    await own.startBoth().chat({ ...hello, model }, named)
    const turn = { userId: String(userId), name: nameOf(id) }
    const item = await own.table.get(turnRows.key(turn))
    expect([item?.microUsd, await unpaidCost(own.table, turn)]).toEqual([
      3500,
      { unpaid: 0, isFinal: true },
    ])
  })
})

describe('the key that asked a turn', () => {
  const key = { keyId: 'key_1', keyName: 'laptop' }

  it('is stored in the usage of its agent’s calls', async () => {
    const { userId, agentId, turn, call } = await asked()
    await call(tracestateOf(await turn(undefined, agentId, key)))
    await call(tracestateOf(await turn()))
    expect((await eventsOf(on.table, userId)).map(({ keyId }) => keyId)).toEqual(['key_1', null])
    const days = await itemsOf(on.table, userPartition(userId), 'key-rollup#')
    expect(days).toMatchObject([{ ...key, calls: 1, costUsd: 0.0035 }])
  })

  it('is not stored for turns of other agents or users', async () => {
    const [ada, eve] = [await asked(), await asked()]
    await ada.call(tracestateOf(await ada.turn(undefined, newId('agt'), key)))
    await ada.call(tracestateOf(await eve.turn(undefined, ada.agentId, key)))
    const events = await eventsOf(on.table, ada.userId)
    expect(events.map(({ keyId }) => keyId)).toEqual([null, null])
  })

  it('counts them in its spend limits, and refuses them when a limit is reached', async () => {
    const { userId, agentId, turn, call } = await asked()
    const limits = { usdPerDay: 0.007, usdPerMonth: 1 }
    const ofKey = async () =>
      tracestateOf(await turn(undefined, agentId, key, undefined, limits), true)
    expect((await call(await ofKey())).status).toBe(200)
    expect((await call(await ofKey())).status).toBe(200)
    const refused = await call(await ofKey())
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.objectContaining({ code: 'SPEND_CAP_REACHED', of: 'key', capUsd: 0.007 }) },
    ])
    expect((await call(tracestateOf(await turn()))).status).toBe(200)
    const { used } = toQuota(
      await on.table.get(spendKey(userId, key.keyId, dayOf(Date.now()))),
    ).microUsd
    expect(used).toBe(7000)
  })

  it('is not limited in turns of other agents', async () => {
    const { turn, call } = await asked()
    const limits = { usdPerDay: 0 }
    const other = await turn(undefined, newId('agt'), key, undefined, limits)
    expect((await call(tracestateOf(other, true))).status).toBe(200)
  })
})
