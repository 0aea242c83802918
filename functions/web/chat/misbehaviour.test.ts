import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../agent/gateway/testing/gateway.ts'
import {
  beginStream,
  flush,
  say,
  sayChunk,
  sendJson,
  Upstream,
} from '../../../agent/gateway/testing/upstream.ts'
import type { Agent } from '../../../shared/agents/agent.ts'
import { gatewayToken } from '../../../shared/agents/secrets.ts'
import { type Accounts, startAccounts } from '../../../tests/support/accounts.ts'
import {
  allEvents,
  chatCaller,
  encryptionKey,
  putAgent,
  readEvents,
} from '../../../tests/support/chat.ts'
import { ownTimeouts, passTime } from '../../../tests/support/time.ts'

let accounts: Accounts
/** Plays an agent's gateway that does as each test says. */
let gateway: Upstream
let ada: { id: string; session: string }
let agent: Agent
let call: ReturnType<typeof chatCaller>

/** It runs out in the tests of it alone, by a clock of their own. */
const patience = { silence: 60_000, whole: 180_000 }
const stepMs = 600

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  gateway = await Upstream.start()
  const port = Number(new URL(gateway.baseUrl).port)
  agent = await putAgent(accounts.table, ada.id, { address: { host: '127.0.0.1', port } })
  call = chatCaller(accounts.table, { patience })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await accounts.close()
})
beforeEach(() => {
  gateway.calls.length = 0
})

function send(body: Record<string, unknown>, signal?: AbortSignal) {
  const given = { body: { message: 'Hi', ...body }, session: ada.session }
  return call('POST', '/api/chat', { ...given, ...(signal !== undefined && { signal }) })
}

async function last() {
  const { items } = await accounts.table.query({
    pk: `user#${ada.id}`,
    beginsWith: `message#${agent.id}#`,
    descending: true,
    limit: 1,
  })
  return items[0]
}

/** A megabyte that would take thirty to hold. */
const manyLists = Array.from({ length: 350_000 }, () => [])

function sayBeside(response: ServerResponse, beside: unknown): void {
  sendJson(response, 200, { choices: [{ message: { content: 'Fine.' } }], beside })
}

describe('an agent', () => {
  it('is asked with its own token, as itself, in the caller’s session', async () => {
    gateway.reply = (response) => say(response, 'Fine.')
    await send({ topic: 'weather' })
    expect(gateway.lastCall.headers.authorization).toBe(
      `Bearer ${await gatewayToken(encryptionKey, agent.id, 1)}`,
    )
    expect(gateway.lastCall.headers['x-request-id']).toMatch(/^req_/)
    expect(gateway.lastCall.body).toEqual({
      model: 'openclaw',
      user: 'weather',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  it.each([
    ['is gone', 409, { status: 'stopped' }],
    ['has failed', 409, { status: 'error' }],
    ['has no address yet', 409, { address: undefined }],
    ['does not listen', 502, { address: { host: '127.0.0.1', port: 1 } }],
  ] as const)('that %s gives %i', async (_, status, fields) => {
    const broken = await putAgent(accounts.table, ada.id, { address: agent.address, ...fields })
    for (const stream of [false, true]) {
      const answer = await send({ agentId: broken.id, stream })
      expect(answer.status).toBe(status)
      expect(await answer.json()).toMatchObject({
        code: status === 409 ? 'AGENT_NOT_RUNNING' : 'AGENT_UNREACHABLE',
      })
    }
    await accounts.table.delete({ pk: `user#${ada.id}`, sk: `agent#${broken.id}` })
  })

  it('that runs comes before newer ones that do not', async () => {
    gateway.reply = (response) => say(response, 'Fine.')
    const newer = await putAgent(accounts.table, ada.id, { status: 'stopped' })
    const answer = await send({})
    expect(await answer.json()).toMatchObject({ agentId: agent.id })
    await accounts.table.delete({ pk: `user#${ada.id}`, sk: `agent#${newer.id}` })
  })

  it.each([
    ['started anew', 409, { status: 'provisioning', generation: 2 }],
    ['stopped', 409, { status: 'stopped', desired: 'stopped' }],
    ['replaced by one that runs', 409, { generation: 2 }],
    ['deleted', 404, { deleting: true }],
  ] as const)(
    'that is %s during a turn gives %i and not the words of its end',
    async (...given) => {
      const [, status, became] = given
      const ended = await putAgent(accounts.table, ada.id, { address: agent.address })
      gateway.reply = (response) => {
        void putAgent(accounts.table, ada.id, { ...ended, ...became }).then(() =>
          sendJson(response, 401, { error: { message: 'Unauthorized', code: null } }),
        )
      }
      for (const stream of [false, true]) {
        await putAgent(accounts.table, ada.id, ended)
        const answer = await send({ agentId: ended.id, stream })
        expect(answer.status).toBe(status)
        expect(await answer.json()).toEqual(
          status === 404
            ? { error: 'Agent not found' }
            : {
                error: 'The agent was stopped or started anew meanwhile',
                code: 'AGENT_NOT_RUNNING',
                status: 'status' in became ? became.status : 'running',
              },
        )
      }
      await accounts.table.delete({ pk: `user#${ada.id}`, sk: `agent#${ended.id}` })
    },
  )

  it('that does not know its token gives 502, not the caller’s 401', async () => {
    gateway.reply = (response) =>
      sendJson(response, 401, { error: { message: 'No.', code: 'invalid_token' } })
    const answer = await send({})
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: 'No.', code: 'invalid_token' },
    ])
  })

  it.each([
    ['no JSON', (response: ServerResponse) => void response.writeHead(200).end('<html>')],
    [
      'an error that is no JSON',
      (response: ServerResponse) => void response.writeHead(500).end('x'),
    ],
    [
      'a redirect',
      (response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
    ],
    ['another form', (response: ServerResponse) => sendJson(response, 200, { choices: 7 })],
    [
      'a cut answer',
      (response: ServerResponse) => void flush(response, '{').then(() => response.destroy()),
    ],
    ['no end', (response: ServerResponse) => void response.end('x'.repeat(4_194_305))],
    ['lists without number', (response: ServerResponse) => sayBeside(response, manyLists)],
  ])('that answers %s gives 502 without its words', async (_, reply) => {
    gateway.reply = reply
    const answer = await send({})
    expect(answer.status).toBe(502)
    const { error, code } = (await answer.json()) as Record<string, string>
    expect(error).toMatch(/^The agent/)
    expect(code).toMatch(/^AGENT_(FAILED|UNREACHABLE)$/)
    expect(await last()).toMatchObject({ sender: 'user' })
  })

  it('that is silent gives 504', async () => {
    ownTimeouts()
    gateway.reply = (response) => passTime(() => !response.destroyed, stepMs)
    for (const stream of [false, true]) {
      const answer = await send({ stream })
      expect([answer.status, await answer.json()]).toEqual([
        504,
        { error: expect.stringContaining('60 s'), code: 'AGENT_TIMEOUT' },
      ])
    }
  })

  it('that talks without end is cut off', async () => {
    ownTimeouts()
    gateway.reply = (response) => {
      beginStream(response)
      const talk = () => sayChunk(response, 'and ')
      return passTime(() => !response.destroyed, stepMs, talk)
    }
    const events = await allEvents(await send({ stream: true }))
    expect(events.at(-1)).toEqual({
      event: 'error',
      data: { error: expect.stringContaining('180 s'), code: 'AGENT_TIMEOUT' },
    })
  })
})

describe('what an agent says beside its answer', () => {
  it.each([
    ['a model’s name', { model: 'm'.repeat(500_000) }],
    ['counts', { usage: { prompt_tokens: 1e300, completion_tokens: 1, total_tokens: 1 } }],
    ['parts of tokens', { usage: { prompt_tokens: -1.5, completion_tokens: 1, total_tokens: 1 } }],
  ])('costs nobody the answer: %s that nobody could keep', async (_, beside) => {
    gateway.reply = (response) =>
      sendJson(response, 200, { choices: [{ message: { content: 'Fine.' } }], ...beside })
    const answer = await send({})
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ reply: 'Fine.', model: null, usage: null }),
    ])
    expect(await last()).toMatchObject({ sender: 'agent', content: 'Fine.' })
  })

  it('is cut to a few words where it says why it failed', async () => {
    gateway.reply = (response) =>
      sendJson(response, 402, { error: { message: 'e'.repeat(1000), code: 'broke' } })
    const cut = await send({})
    expect([cut.status, await cut.json()]).toEqual([402, { error: 'e'.repeat(500), code: 'broke' }])
    gateway.reply = (response) =>
      sendJson(response, 402, { error: { message: 'No.', more: 'x'.repeat(1_000_000) } })
    expect(await (await send({})).json()).toEqual({
      error: 'The agent failed',
      code: 'AGENT_FAILED',
    })
  })
})

describe('a stream without end', () => {
  /** Says one thing over and over, as fast as it is read. */
  function flood(response: ServerResponse, first: string, piece: string): void {
    beginStream(response)
    response.write(first)
    const pump = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', pump)
    }
    pump()
  }

  it.each([
    ['an event', 'data: ', 'x'.repeat(1_048_576)],
    ['comments', ':\n', ': and so on\n\n'.repeat(50_000)],
    ['events that say nothing', '', 'data: {}\n\n'.repeat(50_000)],
    [
      'a reply',
      '',
      `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(500_000) } }] })}\n\n`,
    ],
  ])('is not held: %s', async (_, first, piece) => {
    gateway.reply = (response) => flood(response, first, piece)
    expect(await (await send({ stream: true })).text()).toContain('"code":"AGENT_FAILED"')
  })
})

describe('a stream that breaks off', () => {
  it.each([
    ['is cut', (response: ServerResponse) => response.destroy(), 'AGENT_UNREACHABLE'],
    ['ends early', (response: ServerResponse) => response.end(), 'AGENT_UNREACHABLE'],
    [
      'falls silent',
      (response: ServerResponse) => passTime(() => !response.destroyed, stepMs),
      'AGENT_TIMEOUT',
    ],
    [
      'says so',
      (response: ServerResponse) =>
        response.end('event: error\ndata: {"error":{"message":"Cut","code":"upstream_cut"}}\n\n'),
      'upstream_cut',
    ],
    [
      'turns to nonsense',
      (response: ServerResponse) => response.write('data: {\n\n'),
      'AGENT_FAILED',
    ],
  ])('because it %s says so in an event, and keeps what was said', async (name, end, code) => {
    ownTimeouts()
    gateway.reply = async (response) => {
      beginStream(response)
      sayChunk(response, `Half of ${name}`)
      await flush(response, ':\n\n')
      await end(response)
    }
    const events = await allEvents(await send({ stream: true }))
    expect(events).toEqual([
      { event: 'delta', data: { content: `Half of ${name}` } },
      { event: 'error', data: { error: expect.any(String), code } },
    ])
    expect(await last()).toMatchObject({
      sender: 'agent',
      content: `Half of ${name}`,
      truncated: true,
    })
  })
})

describe('a reader that leaves', () => {
  it('ends the agent’s work, and what was said until then is kept', async () => {
    let left = false
    gateway.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'As I was say')
      await once(response, 'close')
      left = true
    }
    const answer = await send({ stream: true })
    for await (const { data } of readEvents(answer)) {
      expect(data.content).toBe('As I was say')
      break
    }
    await until(() => left)
    await until(async () => (await last())?.content === 'As I was say')
    expect(await last()).toMatchObject({ sender: 'agent', truncated: true })
  })

  it('ends the agent’s work before anything was said, too', async () => {
    for (const stream of [false, true]) {
      let left = false
      gateway.reply = async (response) => {
        await once(response, 'close')
        left = true
      }
      const caller = new AbortController()
      const answering = send({ stream }, caller.signal)
      await until(() => gateway.calls.length > 0)
      caller.abort()
      await until(() => left)
      expect((await answering).status).toBe(400)
      gateway.calls.length = 0
    }
  })
})
