import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import * as keys from '../keys.ts'
import * as profile from '../profile.ts'

const { world, scenes, ada } = await restoreWorld()

const settings = callerOf<never>(profile as never, { table: world.table } as never)

const usual = ['read', 'chat', 'write'] as const
let plain: Record<string, string>
let spender: Record<string, string>

beforeEach(async () => {
  const services = { table: world.table, hashes: keyHashes({ cost: 4 }), adminEmails: [] }
  const { session } = ada
  const own = platformOver(callerOf<never>(keys as never, services as never), { session }).keys
  const bearer = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` })
  plain = bearer(await own.create({ name: 'plain' }))
  spender = bearer(await own.create({ name: 'spender', scopes: [...usual, 'money'] }))
})

const refused = [403, 'SCOPE_REQUIRED', 'money']

type CapName = 'spendCapUsd' | 'spendCapUsdPerDay'

/** The kinds of owners of a cap, with functions that set and read it. */
const owners = {
  async user(name: CapName) {
    const path = '/api/settings'
    const set = async (cap: number | null, headers: Record<string, string>) =>
      told(await settings('PATCH', path, { headers, body: { [name]: cap } }))
    const read = async () => {
      const answer = await settings('GET', path, { session: ada.session })
      return ((await answer.json()) as Record<CapName, number | null>)[name]
    }
    return { set, read }
  },
  async agent(name: CapName) {
    const id = await scenes.newAgent()
    const path = `/api/agents/${id}/config?apply=false`
    const set = async (cap: number | null, headers: Record<string, string>) =>
      told(await world.call('PUT', path, { headers, body: { config: { [name]: cap } } }))
    const read = async () => ((await scenes.agentOf(id)).config[name] as number) ?? null
    return { set, read }
  },
}

const bySession = () => ({ cookie: `service-session=${ada.session}` })

async function told(answer: Response): Promise<unknown[]> {
  const { code, scope } = (await answer.json()) as Record<string, unknown>
  return answer.status === 200 ? [200] : [answer.status, code, scope]
}

describe.each([
  ['user', 'spendCapUsd'],
  ['user', 'spendCapUsdPerDay'],
  ['agent', 'spendCapUsd'],
  ['agent', 'spendCapUsdPerDay'],
] as const)('the spend cap of a %s, %s,', (whose, name) => {
  it('is lowered by every key that writes, and raised or cleared only by a key with the scope money', async () => {
    const { set, read } = await owners[whose](name)
    await set(null, bySession())
    expect(await set(20, plain)).toEqual([200])
    expect(await set(10, plain)).toEqual([200])
    expect(await set(10, plain)).toEqual([200])
    expect(await set(10.000001, plain)).toEqual(refused)
    expect(await set(null, plain)).toEqual(refused)
    expect(await read()).toBe(10)
    expect(await set(30, spender)).toEqual([200])
    expect(await set(null, spender)).toEqual([200])
    expect(await set(null, plain)).toEqual([200])
    expect(await set(5, plain)).toEqual([200])
    expect(await set(6, bySession())).toEqual([200])
    expect(await read()).toBe(6)
  })

  it('is the lowest of several concurrent values without the scope money', async () => {
    const { set, read } = await owners[whose](name)
    const cap = fc.option(fc.integer({ min: 0, max: 50 }))
    await fc.assert(
      fc.asyncProperty(cap, fc.array(cap, { minLength: 2, maxLength: 12 }), async (first, all) => {
        await set(first, bySession())
        await Promise.all(all.map((one) => set(one, plain)))
        const numbers = [first, ...all].filter((one) => one !== null)
        expect(await read()).toBe(numbers.length === 0 ? null : Math.min(...numbers))
      }),
      { numRuns: 10 },
    )
  })
})

describe('the use of credits', () => {
  const use = async (useCredits: boolean, headers: Record<string, string>) =>
    told(await settings('PATCH', '/api/settings', { headers, body: { useCredits } }))

  it('is disabled by every key that writes, and enabled only by a key with the scope money', async () => {
    expect(await use(false, plain)).toEqual([200])
    expect(await use(true, plain)).toEqual(refused)
    expect(await use(true, spender)).toEqual([200])
    expect(await use(true, plain)).toEqual([200])
  })
})

describe.each(['spendCapUsd', 'spendCapUsdPerDay'] as const)('a restore, with %s,', (name) => {
  const capAfter = async (id: string, snapshotId: string, headers: Record<string, string>) => {
    const path = `/api/agents/${id}/restore`
    const answer = await world.call('POST', path, { headers, body: { snapshotId } })
    expect(answer.status).toBe(202)
    await world.work()
    return (await scenes.agentOf(id)).config[name] ?? null
  }
  const setCap = (id: string, cap: number | null) =>
    scenes.call('PUT', `/api/agents/${id}/config?apply=false`, { config: { [name]: cap } })

  it.each([
    ['cannot raise the cap', 5, 1, 1],
    ['cannot clear the cap', null, 1, 1],
    ['can lower the cap', 1, 5, 1],
    ['can set a cap', 1, null, 1],
  ])('a restore by a key without the scope money %s', async (_, kept, present, after) => {
    const id = await scenes.newAgent({ [name]: kept, mood: 'dry' })
    const { id: point } = await scenes.snapshot(id)
    await setCap(id, present)
    await scenes.call('PUT', `/api/agents/${id}/config?apply=false`, { config: { mood: 'wet' } })
    expect(await capAfter(id, point, plain)).toBe(after)
    expect((await scenes.agentOf(id)).config.mood).toBe('dry')
  })

  it('a restore of a deleted agent keeps its last cap', async () => {
    const id = await scenes.newAgent({ [name]: 9 })
    const { id: point } = await scenes.snapshot(id)
    await setCap(id, 2)
    await scenes.call('DELETE', `/api/agents/${id}`)
    await world.work()
    expect(await capAfter(id, point, plain)).toBe(2)
  })

  it.each(['a session', 'a key with money'])(
    'a restore by %s sets the restore point’s cap',
    async (by) => {
      const id = await scenes.newAgent({ [name]: 9 })
      const { id: point } = await scenes.snapshot(id)
      await setCap(id, 2)
      expect(await capAfter(id, point, by === 'a session' ? bySession() : spender)).toBe(9)
    },
  )
})

it('a duplicate has the caps of its original', async () => {
  const id = await scenes.newAgent({ spendCapUsd: 3, spendCapUsdPerDay: 1 })
  const path = `/api/agents/${id}/duplicate`
  const answer = await world.call('POST', path, { headers: plain, body: { name: 'Twin' } })
  const { agent } = (await answer.json()) as { agent: { id: string } }
  const { config } = await scenes.agentOf(agent.id)
  expect(config).toMatchObject({ spendCapUsd: 3, spendCapUsdPerDay: 1 })
})
