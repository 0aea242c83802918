import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { lastTurns } from '#shared/conversations/runs/turns.ts'
import { createSwarm } from '#shared/conversations/swarms/create.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { chatCaller, useChatAgent } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { userContext } from '#tests/support/platform/context.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { say, type Upstream } from '../../../agent/gateway/testing/upstream.ts'
import * as keyGroup from '../keys.ts'
import { routes } from '../runs.ts'

const started = await useChatAgent()
let accounts: Accounts
let models: Upstream
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let running: Agent
let stopped: Agent
let call: ReturnType<typeof chatCaller>

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  models = started.models
  running = await started.putFor(accounts.table, ada.id)
  stopped = await putAgent(accounts.table, ada.id, { status: 'stopped', desired: 'stopped' })
  call = chatCaller(accounts.table, {}, routes)
})
afterAll(() => accounts.close())
beforeEach(() => {
  models.reply = (response) => say(response, 'Here is my part.')
})

async function send(method: string, path: string, body?: unknown, session = ada.session) {
  const answer = await call(method, path, { body, session })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function swarmOf(agents: string[]): Promise<string> {
  const { status, body } = await send('POST', '/api/swarms', { name: 'Team', agents })
  expect(status).toBe(201)
  return String(body.id)
}

describe('a swarm', () => {
  it('consists of the caller’s agents, and is listed only for the caller', async () => {
    const input = { name: 'Team', description: 'All of us', agents: [running.id, stopped.id] }
    const { status, body } = await send('POST', '/api/swarms', input)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...input,
      id: expect.stringMatching(/^swm_/),
      createdAt: expect.any(String),
    })
    expect((await send('GET', '/api/swarms')).body.swarms).toContainEqual(body)
    expect((await send('GET', '/api/swarms', undefined, eve.session)).body).toEqual({
      swarms: [],
      count: 0,
    })
  })

  it.each([
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: '' }],
    ['agents', { agents: [] }],
    ['agents', { agents: 'all' }],
    ['agents', { agents: ['agt_1', 'agt_1'] }],
    ['agents', { agents: Array.from({ length: 21 }, (_, i) => `agt_${i}`) }],
  ])('a swarm with an invalid %s is rejected, and nothing is created', async (field, changes) => {
    const listed = (await send('GET', '/api/swarms')).body
    const { status, body } = await send('POST', '/api/swarms', {
      name: 'Team',
      agents: [running.id],
      ...changes,
    })
    expect(status).toBe(400)
    expect(body.error).toContain(field)
    expect((await send('GET', '/api/swarms')).body).toEqual(listed)
  })

  it('cannot include another user’s agent', async () => {
    const agents = [running.id]
    const { status, body } = await send(
      'POST',
      '/api/swarms',
      { name: 'Mine', agents },
      eve.session,
    )
    expect(status).toBe(404)
    expect(body.error).toContain(running.id)
  })
})

describe('the limit of swarms', () => {
  it('holds under concurrent requests, and a repeat creates no second swarm', async () => {
    const cyd = await accounts.signUp('cyd@b.co')
    const one = await putAgent(accounts.table, cyd.id)
    const input = { name: 'Team', description: null, agents: [one.id] }
    const seeds = Array.from({ length: 120 }, () => newSeed())
    const context = await userContext(accounts.table, cyd.id)
    const make = (seed: string) => createSwarm({ ...context, seed }, input)
    const made = (await Promise.allSettled(seeds.map(make))).map(({ status }) => status)
    expect(made.filter((status) => status === 'fulfilled')).toHaveLength(100)
    const again = seeds[made.indexOf('fulfilled')] ?? ''
    const { body } = await send('GET', '/api/swarms', undefined, cyd.session)
    expect(body.swarms).toContainEqual(await make(again))
    expect(body.count).toBe(100)
    await expect(make(newSeed())).rejects.toMatchObject({ code: 'SWARM_LIMIT_REACHED' })
  })
})

describe('a run', () => {
  it('asks every member, and a failed one delays no other', async () => {
    const id = await swarmOf([stopped.id, running.id])
    const { status, body } = await send('POST', `/api/swarms/${id}/run`, { prompt: 'Do it.' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      results: [
        { agentId: stopped.id, reply: null, error: 'The agent is not running' },
        { agentId: running.id, reply: 'Here is my part.', error: null },
      ],
    })
  })

  it('returns the other replies if an internal error stops one', async () => {
    const { id: agentId } = await putAgent(accounts.table, ada.id, { address: running.address })
    const id = await swarmOf([agentId, running.id])
    const table = before(accounts.table, (name, given) => {
      if (name === 'transact' && JSON.stringify(given).includes(agentId))
        throw new Error('the table is away')
    })
    const answer = await chatCaller(table, {}, routes)('POST', `/api/swarms/${id}/run`, {
      body: { prompt: 'Do it.' },
      session: ada.session,
    })
    expect(await answer.json()).toEqual({
      id,
      results: [
        { agentId, reply: null, error: 'Something went wrong' },
        { agentId: running.id, reply: 'Here is my part.', error: null },
      ],
    })
  })

  it('counts all its turns to the key that asked', async () => {
    const { table } = accounts
    const keys = callerOf(keyGroup, { table, hashes: keyHashes({ cost: 4 }), adminEmails: [] })
    const { key } = await platformOver(keys, ada).keys.create({ name: 'laptop' })
    await platformOver(call, { key }).swarms.run(await swarmOf([running.id]), { prompt: 'Go' })
    const [turn] = await lastTurns(userStore(table, ada.id))
    expect(turn).toMatchObject({
      kind: 'swarm',
      key: { keyId: expect.stringMatching(/^key_/), keyName: 'laptop' },
    })
  })

  it('returns no more of a reply than the history stores', async () => {
    const usual = models.reply
    models.reply = (response) => say(response, 'x'.repeat(300_000))
    const id = await swarmOf([running.id])
    const { swarms } = platformOver(call, ada)
    const { results } = await swarms.run(id, { prompt: 'At length.' })
    models.reply = usual
    expect(results[0]?.reply).toHaveLength(120_000)
  })

  it('reports a member that was deleted in the meantime', async () => {
    const gone = await putAgent(accounts.table, ada.id)
    const id = await swarmOf([gone.id])
    await accounts.table.delete({ pk: `user#${ada.id}`, sk: `agent#${gone.id}` })
    const { body } = await send('POST', `/api/swarms/${id}/run`, { prompt: 'Still there?' })
    expect(body.results).toEqual([{ agentId: gone.id, reply: null, error: 'Agent not found' }])
  })

  it('a run of another user’s swarm is treated as missing', async () => {
    const id = await swarmOf([running.id])
    const requestCount = models.calls.length
    const { status } = await send('POST', `/api/swarms/${id}/run`, { prompt: 'Hi' }, eve.session)
    expect(status).toBe(404)
    expect(models.calls.length).toBe(requestCount)
  })

  it.each(['swm_0', 'x'.repeat(2000), '..%2f..'])('a run of %s is not found', async (id) => {
    expect((await send('POST', `/api/swarms/${id}/run`, { prompt: 'Hi' })).status).toBe(404)
  })

  it('requires a prompt', async () => {
    const id = await swarmOf([running.id])
    const { status, body } = await send('POST', `/api/swarms/${id}/run`, { prompt: ' ' })
    expect(status).toBe(400)
    expect(body.error).toContain('prompt')
  })
})
