import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failAgent } from '#shared/agents/fleet/lifecycle/fail.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { crashingImage } from '#tests/support/agents/fleet.ts'
import { startWebAgents } from '#tests/support/agents/web-agents.ts'

let on: Awaited<ReturnType<typeof startWebAgents>>

beforeAll(async () => {
  on = await startWebAgents()
})
afterAll(() => on.fleet.close())
beforeEach(() => on.fleet.forget())

const made = async (user: string) => (await on.platformOf(user).agents.create({ name: 'Ada' })).id

const eventsOf = (user: string, id: string, limit?: number) =>
  on.platformOf(user).agents.events(id, { limit })

const rowOf = async (user: string, id: string) =>
  requireAgent({ table: on.fleet.table }, { agentId: id, owner: user })

const kindsOf = async (user: string, id: string) =>
  (await eventsOf(user, id)).map(({ kind, by }) => [kind, by])

describe('the history of an agent', () => {
  it('is listed newest first, with the author of each change', async () => {
    const user = await on.person()
    const me = `user:${user}`
    const id = await made(user)
    await on.fleet.untilRunning(await rowOf(user, id))
    await on.call('POST', `/api/instance/${id}/stop`, { user })
    await on.call('POST', `/api/instance/${id}/start`, { user })
    await on.call('POST', `/api/instance/${id}/restart`, { user })
    await on.call('POST', `/api/instance/${id}/repair`, { user })
    await on.call('PUT', `/api/agents/${id}/config?apply=false`, {
      user,
      body: { config: { systemPrompt: 'a secret of mine', sleepAfterMinutes: 5 } },
    })
    await on.call('PUT', `/api/agents/${id}/config`, {
      user,
      body: { config: { systemPrompt: 'another' } },
    })
    await on.call('POST', `/api/instance/${id}/update`, { user, body: { image: crashingImage } })
    await failAgent(on.fleet.services, {
      agent: await rowOf(user, id),
      reason: { code: 'NoStart', text: 'it never answered' },
    })
    expect(await kindsOf(user, id)).toEqual([
      ['given_up', 'platform'],
      ['updated', me],
      ['configured', me],
      ['configured', me],
      ['repaired', me],
      ['restarted', me],
      ['started', me],
      ['stopped', me],
      ['created', me],
    ])
    const events = await eventsOf(user, id)
    expect(events[0]?.text).toBe('it never answered')
    expect(events[3]?.text).toBe('Settings changed: sleepAfterMinutes, systemPrompt')
    expect(JSON.stringify(events)).not.toContain('a secret of mine')
    expect(await eventsOf(user, id, 2)).toEqual(events.slice(0, 2))
    expect(await eventsOf(user, id, 0)).toEqual([])
    const times = events.map(({ at }) => at)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('names the platform, and an operator who is not its owner', async () => {
    const user = await on.person()
    const admin = await on.person('solo', { isAdmin: true })
    const id = await made(user)
    const { table, queues, services } = on.fleet
    const agent = await rowOf(user, id)
    const own = { table, queues, config: services.config }
    await failAgent(own, { agent, reason: { code: 'NoRoom', text: 'there is no room' } })
    const byAdmin = await on.fleet.row(agent)
    const actor = { type: 'internal' as const, userId: admin, email: undefined, role: undefined }
    await startAgent(
      { ...own, actor: { ...actor, profile: undefined } },
      { agent: byAdmin, by: 'operator' },
    )
    expect((await kindsOf(user, id)).slice(0, 2)).toEqual([
      ['started', `operator:${admin}`],
      ['given_up', 'platform'],
    ])
  })

  it('begins with its creation, even if that was not recorded', async () => {
    const user = await on.person()
    const id = await made(user)
    const place = { pk: `user#${user}`, beginsWith: `agent-event#${id}#` }
    for (const { pk, sk } of (await on.fleet.table.query(place)).items)
      await on.fleet.table.delete({ pk: String(pk), sk: String(sk) })
    const { createdAt } = await rowOf(user, id)
    expect(await eventsOf(user, id)).toEqual([
      { at: createdAt, kind: 'created', text: 'Created', by: null },
    ])
  })

  it('is written with the change or not at all', async () => {
    const user = await on.person()
    const id = await made(user)
    await on.fleet.untilRunning(await rowOf(user, id))
    // Ten in parallel: as many events as actual changes.
    await Promise.all(
      Array.from({ length: 10 }, () => on.call('POST', `/api/instance/${id}/restart`, { user })),
    )
    const { generation } = await rowOf(user, id)
    const restarts = (await kindsOf(user, id)).filter(([kind]) => kind === 'restarted')
    expect(restarts).toHaveLength(generation - 1)
  })
})

describe('deleting', () => {
  it('removes an agent and its data, and frees its place', async () => {
    const user = await on.person('label')
    const id = await made(user)
    expect(await on.call('DELETE', `/api/agents/${id}`, { user })).toEqual({
      status: 200,
      body: { id, deleted: true },
    })
    for (const path of ['', '/events', '/config'])
      expect((await on.call('GET', `/api/agents/${id}${path}`, { user })).status).toBe(404)
    expect((await on.call('DELETE', `/api/agents/${id}`, { user })).status).toBe(404)
    await on.fleet.deliver()
    const place = { pk: `user#${user}`, beginsWith: `agent-event#${id}#` }
    expect((await on.fleet.table.query(place)).items).toEqual([])
    expect((await on.call('GET', '/api/agents', { user })).body.count).toBe(0)
  })

  it('twenty times concurrently happens once, and frees one place', async () => {
    const user = await on.person()
    const [id] = [await made(user), await made(user)]
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => on.call('DELETE', `/api/agents/${id}`, { user })),
    )
    expect(answers.filter(({ status }) => ![200, 404].includes(status))).toEqual([])
    expect(await on.fleet.table.get({ pk: `user#${user}`, sk: 'profile' })).toMatchObject({
      agentCount: 1,
    })
  })
})

describe('the history pages of an agent', () => {
  it.each([1, 2, 3, 4])('have up to %s entries, and end with the creation', async (limit) => {
    const user = await on.person()
    const id = await made(user)
    for (const sleepAfterMinutes of [5, 6])
      await on.call('PUT', `/api/agents/${id}/config?apply=false`, {
        user,
        body: { config: { sleepAfterMinutes } },
      })
    const kinds = ['configured', 'configured', 'created']
    const all = async () => {
      const observed: string[] = []
      for await (const { kind } of eventsOf(user, id, limit)) observed.push(kind)
      return observed
    }
    expect(await all()).toEqual(kinds)

    // The agent is so old that its creation event has expired.
    const { table } = on.fleet
    const place = { pk: `user#${user}`, beginsWith: `agent-event#${id}#` }
    const [oldest] = (await table.query(place)).items
    await table.delete({ pk: oldest!.pk, sk: oldest!.sk })
    expect(await all()).toEqual(kinds)
  })
})

describe('the history rejects', () => {
  it.each([
    ['DELETE', ''],
    ['GET', '/events'],
  ])('the history rejects every other caller: %s %s', async (method, rest) => {
    const [user, eve] = [await on.person(), await on.person()]
    const id = await made(user)
    expect((await on.call(method, `/api/agents/${id}${rest}`, { user: eve })).status).toBe(404)
    expect((await on.call(method, `/api/agents/${id}${rest}`)).status).toBe(401)
    expect((await on.call(method, `/api/agents/agt_none${rest}`, { user })).status).toBe(404)
    expect((await rowOf(user, id)).id).toBe(id)
  })

  it.each(['limit=-1', 'limit=ten', 'limit=1.5', 'cursor=', 'cursor=a%20b'])(
    'the history rejects the query ?%s',
    async (query) => {
      const user = await on.person()
      const id = await made(user)
      expect((await on.call('GET', `/api/agents/${id}/events?${query}`, { user })).status).toBe(400)
    },
  )
})
