import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { removeAgentRows } from '#shared/agents/record/deletion.ts'
import { senderEnvironment } from '#shared/agents/record/senders/environment.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf, type UserCall } from '#tests/support/http/caller.ts'
import { sendJson, Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { senderRoutes } from './senders.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let gateway: Upstream
/** The waiting senders in the container's answer, or its error status. */
let waiting: object[] | number
let reports: { path: string | undefined; body: unknown }[]
let ask: (method: string, path: string, given: UserCall) => Promise<Response>

const secrets = { discordBotToken: 'sealed' }
const ann = { id: '34', name: 'Ann (@ann)', code: 'ABCD2345' }
const bob = { id: '56', name: '@bob', code: 'EFGH6789' }

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  gateway = await Upstream.start()
  gateway.reply = (response, { path, body }) => {
    const isRead = (body as { approved?: unknown }).approved === undefined
    if (!isRead) reports.push({ path, body })
    if (typeof waiting === 'number')
      return sendJson(response, waiting, { error: { message: 'no' } })
    sendJson(response, 200, isRead ? { senders: waiting } : { success: true })
  }
  const unused = () => Promise.reject(new Error('nothing is sent'))
  ask = callerOf(
    { routes: senderRoutes },
    {
      table: accounts.table,
      queues: { send: unused, sendAll: unused },
      config: { ...loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey }), deployed: false },
    },
  )
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await accounts.close()
})
beforeEach(() => {
  waiting = [ann, bob]
  reports = []
})

const address = () => ({ host: '127.0.0.1', port: Number(new URL(gateway.baseUrl).port) })
const aBot = (fields: Partial<Agent> = {}) =>
  putAgent(accounts.table, ada.id, { secrets, address: address(), ...fields })

async function call(method: string, agent: Agent, rest = '', more: UserCall = {}) {
  const path = `/api/agents/${agent.id}/channels/${rest === '' ? 'discord/senders' : rest}`
  const answer = await ask(method, path, { session: ada.session, ...more })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const decide = (agent: Agent, sender: string, decision: unknown, more: UserCall = {}) =>
  call('POST', agent, `discord/senders/${sender}`, { body: { decision }, ...more })
const startedWith = (agent: Agent) => senderEnvironment(accounts, agent, agent.secrets)

describe('a chat sender of a bot', () => {
  it('waits with a code, is approved by it, and is stored for each later start', async () => {
    const agent = await aBot()
    const pending = [
      { ...ann, state: 'pending' },
      { ...bob, state: 'pending' },
    ]
    expect(await call('GET', agent)).toEqual({ status: 200, body: { senders: pending } })
    const approved = { id: '34', name: 'Ann (@ann)', state: 'approved', code: null }
    expect(await decide(agent, 'abcd2345', 'approve')).toEqual({
      status: 200,
      body: { ...approved, applied: true },
    })
    expect(reports).toEqual([
      { path: '/senders/discord?revision=1', body: { approved: ['34'], blocked: [] } },
    ])
    expect((await call('GET', agent)).body).toEqual({ senders: [pending[1], approved] })
    expect(await startedWith(agent)).toEqual({ DISCORD_SENDERS: '34' })

    expect((await decide(agent, '34', 'block')).body).toMatchObject({
      state: 'blocked',
      name: ann.name,
    })
    expect(reports.at(-1)).toEqual({
      path: '/senders/discord?revision=2',
      body: { approved: [], blocked: ['34'] },
    })
    expect(await startedWith(agent)).toEqual({})
  })

  it.each([
    ['stopped', { status: 'stopped', address: undefined }, 200],
    ['of an image that knows nothing of senders', {}, 404],
    ['that does not answer', { address: { host: '127.0.0.1', port: 1 } }, 200],
  ] as const)(
    'a chat sender of the bot of an agent %s is approved by an id for its next start',
    async (...given) => {
      const [, fields, status] = given
      if (status !== 200) waiting = status
      const agent = await aBot(fields)
      expect(await decide(agent, '99', 'approve')).toEqual({
        status: 200,
        body: { id: '99', name: null, state: 'approved', code: null, applied: false },
      })
      expect(await startedWith(agent)).toEqual({ DISCORD_SENDERS: '99' })
    },
  )

  it('is visible only to the agent’s owner, and absent for a missing bot', async () => {
    const agent = await aBot()
    const theirs = { session: eve.session }
    const missing = { status: 404, body: { error: 'Agent not found' } }
    expect(await call('GET', agent, '', theirs)).toEqual(missing)
    expect(await decide(agent, '34', 'approve', theirs)).toEqual(missing)
    for (const channel of ['telegram', 'slack', '__proto__'])
      expect(await call('GET', agent, `${channel}/senders`)).toEqual({
        status: 404,
        body: { error: 'Channel not found' },
      })
    expect(await decide(agent, 'WRONG234', 'approve')).toEqual({
      status: 404,
      body: { error: 'Sender not found' },
    })
    for (const decision of ['maybe', null, undefined])
      expect((await decide(agent, '34', decision)).status).toBe(400)
    expect((await call('GET', agent, '', { session: '' })).status).toBe(401)
    expect(reports).toEqual([])
    expect(await startedWith(agent)).toEqual({})
  })

  it('is one of at most 200, under concurrent approvals, and is deleted with its agent', async () => {
    const agent = await aBot({ status: 'stopped', address: undefined, id: newId('agt') })
    const ids = Array.from({ length: 199 }, (_, i) => String(1000 + i))
    for (const id of ids) await decide(agent, id, 'approve')
    const answers = await Promise.all(['1', '2', '3'].map((id) => decide(agent, id, 'approve')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'SENDERS_FULL',
      limit: 200,
    })
    // A blocked sender makes room, the first of them first.
    for (const id of ['1001', '1000']) expect((await decide(agent, id, 'block')).status).toBe(200)
    expect((await decide(agent, '4', 'approve')).status).toBe(200)
    const listed = (await call('GET', agent)).body.senders as { id: string; state: string }[]
    expect(listed).toHaveLength(200)
    expect(listed.filter(({ state }) => state === 'blocked').map(({ id }) => id)).toEqual(['1000'])
    const { table } = accounts
    const deadline = Date.now() + 60_000
    await removeAgentRows({ table, store: userStore(table, ada.id), agentId: agent.id, deadline })
    expect(await startedWith(agent)).toEqual({})
  })
})
