import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { newId } from '#shared/platform/ids.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { chatCaller, useChatAgent } from '#tests/support/conversations/chat.ts'
import { allEvents } from '#tests/support/http/event-stream.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import {
  beginStream,
  endStream,
  say,
  sayChunk,
  sendJson,
  Upstream,
} from '../../../agent/gateway/testing/upstream.ts'

const started = await useChatAgent()
let accounts: Accounts
/** Stands in for the platform's AI gateway, behind a real agent. */
let models: Upstream
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let agent: Agent
let call: ReturnType<typeof chatCaller>

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  models = started.models
  agent = await started.putFor(accounts.table, ada.id)
  call = chatCaller(accounts.table)
})
afterAll(() => accounts.close())

function send(body: unknown, session = ada.session, headers: Record<string, string> = {}) {
  return call('POST', '/api/chat', { body, session, headers })
}

function history(text = '', session = ada.session) {
  const query = Object.fromEntries(new URLSearchParams(text))
  return platformOver(call, { session }).request('GET /api/chat', { query })
}

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }

describe('POST /api/chat', () => {
  it('sends a message to the agent, returns its reply, and stores both', async () => {
    const reply = await platformOver(call, ada).chat.send({ message: 'How are you?' })
    expect(reply).toEqual({
      id: expect.stringMatching(/^msg_/),
      agentId: agent.id,
      message: 'How are you?',
      reply: 'Fine, thanks.',
      model: null,
      usage,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const stored = await history()
    const base = { agentId: agent.id, platform: 'web' }
    expect(stored.messages.slice(-2)).toEqual([
      {
        ...base,
        id: expect.stringMatching(/^msg_/),
        sender: 'user',
        content: 'How are you?',
        timestamp: expect.any(String),
      },
      {
        ...base,
        id: reply.id,
        sender: 'agent',
        content: 'Fine, thanks.',
        timestamp: reply.timestamp,
      },
    ])
    expect(stored.count).toBe(stored.messages.length)
  })

  it('streams the reply, and then the whole answer', async () => {
    models.reply = (response) => {
      beginStream(response)
      for (const word of ['Fine, ', 'thanks ', '\u{1F600}\n\nand you?']) sayChunk(response, word)
      endStream(response)
    }
    const answer = await send({ message: 'Stream it', agentId: agent.id, stream: true })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = await allEvents(answer)
    const reply = 'Fine, thanks \u{1F600}\n\nand you?'
    expect(events.map(({ event }) => event)).toEqual(['delta', 'delta', 'delta', 'done'])
    expect(
      events
        .slice(0, 3)
        .map(({ data }) => data.content)
        .join(''),
    ).toBe(reply)
    expect(events[3]?.data).toEqual({
      id: expect.stringMatching(/^msg_/),
      agentId: agent.id,
      message: 'Stream it',
      reply,
      model: null,
      usage,
      timestamp: expect.any(String),
    })
    const { messages } = await history('?limit=2')
    expect(messages.map(({ content }) => content)).toEqual(['Stream it', reply])
  })

  it('has one conversation per topic', async () => {
    await send({ message: 'My name is Ada', topic: 'names' })
    await send({ message: 'What is my name?', topic: 'names' })
    expect(models.lastCall.body.messages.map(({ content }) => content)).toContain('My name is Ada')
    await send({ message: 'What is my name?', topic: 'other' })
    expect(models.lastCall.body.messages.map(({ content }) => content)).toEqual([
      'What is my name?',
    ])
  })

  it('returns a single conversation, with the model and the tokens of each reply', async () => {
    await send({ message: 'Of the sea', topic: 'sea' })
    await send({ message: 'Of nothing in particular' })
    await send({ message: 'Of the land', topic: 'land' })
    expect((await history('?topic=sea')).messages).toMatchObject([
      { sender: 'user', content: 'Of the sea' },
      { sender: 'agent', content: 'Fine, thanks.', model: null, usage },
    ])
    const unnamed = await history('?topic=default&limit=2')
    expect(unnamed.messages[0]).toMatchObject({ content: 'Of nothing in particular' })
    expect((await history('?topic=none')).messages).toEqual([])
  })

  it('returns a repeat under the same Idempotency-Key without a second turn', async () => {
    const once = () => send({ message: 'Once' }, ada.session, { 'idempotency-key': 'k1' })
    const first = await once()
    const second = await once()
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await second.json()).toEqual(await first.json())
    expect(models.calls).toHaveLength(1)
  })

  it('stores a streamed answer under an Idempotency-Key, and no failure', async () => {
    const once = () =>
      send({ message: 'Once', stream: true }, ada.session, { 'idempotency-key': 'k2' })
    models.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'Half an ')
      response.destroy()
    }
    expect((await once()).status).toBe(502)
    models.reply = (response) => say(response, 'A whole answer')
    const events = await allEvents(await once())
    expect(events.map(({ event }) => event)).toEqual(['delta', 'done'])
    expect(await allEvents(await once())).toEqual(events)
    expect(models.calls).toHaveLength(2)
  })

  it.each([
    [402, 'PLAN_REQUIRED', {}],
    [403, 'MODEL_RESTRICTED', { allowedModels: ['a/b'] }],
    [429, 'SPEND_CAP_REACHED', { spentUsd: 2, capUsd: 1, resetsAt: '2026-12-01T00:00:00Z' }],
  ])('returns the AI gateway’s error %i %s', async (status, code, details) => {
    const error = { message: 'No.', type: 'x', code, param: null, ...details }
    models.reply = (response) => {
      response.setHeader('retry-after', '9')
      sendJson(response, status, { error })
    }
    for (const stream of [false, true]) {
      const answer = await send({ message: 'Please', stream })
      expect([answer.status, await answer.json()]).toEqual([
        status,
        { error: 'No.', code, ...details },
      ])
      expect(answer.headers.get('retry-after')).toBe('9')
    }
    const { messages } = await history('?limit=2')
    expect(messages.map(({ sender }) => sender)).toEqual(['user', 'user'])
  })

  it('returns 502 if the models fail', async () => {
    models.reply = (response) =>
      sendJson(response, 502, { error: { message: 'All failed', code: 'AI_UNAVAILABLE' } })
    const answer = await send({ message: 'Please' })
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: 'All failed', code: 'AI_UNAVAILABLE' },
    ])
  })
})

describe('access to the chat', () => {
  it('requires a session: 401', async () => {
    for (const session of [undefined, 'usr_x.nonsense']) {
      const input = session === undefined ? {} : { session }
      const post = await call('POST', '/api/chat', { body: { message: 'Hi' }, ...input })
      const get = await call('GET', '/api/chat', input)
      expect([post.status, get.status]).toEqual([401, 401])
    }
    expect(models.calls).toEqual([])
  })

  it('hides another user’s agents and their messages', async () => {
    for (const agentId of [agent.id, newId('agt'), `${agent.id}#`, '__proto__', 'x#owner']) {
      const post = await send({ message: 'Hi', agentId }, eve.session)
      expect([post.status, await post.json()]).toEqual([404, { error: 'Agent not found' }])
      const path = `/api/chat?agentId=${encodeURIComponent(agentId)}`
      expect((await call('GET', path, { session: eve.session })).status).toBe(404)
    }
    expect(models.calls).toEqual([])
  })

  it('a user without an agent gets an error, and no messages', async () => {
    expect((await send({ message: 'Hi' }, eve.session)).status).toBe(404)
    expect(await history('', eve.session)).toEqual({ messages: [], count: 0 })
  })

  it.each([
    ['no message', {}, /message required/],
    ['an empty message', { message: ' \n' }, /message required/],
    ['a number', { message: 7 }, /message required/],
    ['a very long message', { message: 'a'.repeat(32_001) }, /at most 32000/],
    ['a list as agent', { message: 'Hi', agentId: ['a'] }, /agentId/],
    ['a long topic', { message: 'Hi', topic: 'a'.repeat(101) }, /topic/],
    ['a string as stream', { message: 'Hi', stream: 'yes' }, /stream/],
  ])('rejects %s', async (_, body, message) => {
    const answer = await send(body)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringMatching(message) },
    ])
  })

  it('requires the encryption key, and an error names it if it is missing', async () => {
    const bare = chatCaller(accounts.table, { encryptionKey: undefined })
    const answer = await bare('POST', '/api/chat', {
      body: { message: 'Hi' },
      session: ada.session,
    })
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: 'Reaching agents is not configured', missing: ['WALLET_ENCRYPTION_KEY'] },
    ])
  })
})

describe('GET /api/chat', () => {
  it('returns the last messages, oldest first, 100 at most', async () => {
    const { session } = await withTurns(60)
    const all = await history('?limit=1000', session)
    expect(all.count).toBe(100)
    expect(all.messages.at(-1)).toMatchObject({ sender: 'agent' })
    const times = all.messages.map(({ timestamp }) => String(timestamp))
    expect(times).toEqual(times.toSorted())
    const senders = all.messages.map(({ sender }) => sender)
    expect(senders.filter((sender) => sender === 'user')).toHaveLength(50)
    expect((await history('', session)).count).toBe(50)
    expect((await history('?limit=0', session)).messages).toEqual([])
    expect((await history('?limit=3', session)).messages).toEqual(all.messages.slice(-3))
  })

  it.each(['-1', 'ten', '1.5', '', '%20', '1e2'])('rejects limit=%s', async (limit) => {
    const answer = await call('GET', `/api/chat?limit=${limit}`, { session: ada.session })
    expect(answer.status).toBe(400)
  })

  it('fills a page even if messages are long', async () => {
    const { session } = await withTurns(20, '\u4E2D'.repeat(32_000))
    const { count, messages } = await history('?limit=40', session)
    expect([count, messages[38]?.content]).toEqual([40, '\u4E2D'.repeat(32_000)])
  })

  async function withTurns(turns: number, message = 'Hi') {
    const user = await accounts.signUp(`${newId('usr')}@b.co`)
    const direct = await Upstream.start()
    const port = Number(new URL(direct.baseUrl).port)
    await putAgent(accounts.table, user.id, { address: { host: '127.0.0.1', port } })
    for (let i = 0; i < turns; i++) expect((await send({ message }, user.session)).status).toBe(200)
    await direct[Symbol.asyncDispose]()
    return user
  }
})
