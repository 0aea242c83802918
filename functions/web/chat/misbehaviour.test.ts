import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { allEvents } from '#tests/support/http/event-stream.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import {
  beginStream,
  endStream,
  flush,
  say,
  sayChunk,
  sendEvent,
  sendJson,
} from '../../../agent/gateway/testing/upstream.ts'
import * as missionControl from '../mission-control.ts'

const on = usePlayedAgent()
const stepMs = 600

/** One MB of JSON that needs thirty MB in memory. */
const manyLists = Array.from({ length: 350_000 }, () => [])

function sayBeside(response: ServerResponse, beside: unknown): void {
  sendJson(response, 200, { choices: [{ message: { content: 'Fine.' } }], beside })
}

describe('an agent', () => {
  it('is called with its own token, in the caller’s session', async () => {
    on.gateway.reply = (response) => say(response, 'Fine.')
    await on.send({ topic: 'weather' })
    expect(on.gateway.lastCall.headers.authorization).toBe(
      `Bearer ${await gatewayToken(encryptionKey, on.agent.id, 1)}`,
    )
    expect(on.gateway.lastCall.headers['x-request-id']).toMatch(/^req_/)
    expect(on.gateway.lastCall.body).toEqual({
      model: 'openclaw',
      user: 'weather',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  it.each([
    ['is stopped', 409, { status: 'stopped' }],
    ['has failed', 409, { status: 'error' }],
    ['has no address yet', 409, { address: undefined }],
    ['does not listen', 502, { address: { host: '127.0.0.1', port: 1 } }],
  ] as const)('an agent that %s returns %i', async (_, status, fields) => {
    const broken = await putAgent(on.accounts.table, on.ada.id, {
      address: on.agent.address,
      ...fields,
    })
    for (const stream of [false, true]) {
      const answer = await on.send({ agentId: broken.id, stream })
      expect(answer.status).toBe(status)
      expect(await answer.json()).toMatchObject({
        code: status === 409 ? 'AGENT_NOT_RUNNING' : 'AGENT_UNREACHABLE',
      })
    }
    await on.accounts.table.delete({ pk: `user#${on.ada.id}`, sk: `agent#${broken.id}` })
  })

  it('an agent that runs is preferred to newer ones that do not', async () => {
    on.gateway.reply = (response) => say(response, 'Fine.')
    const newer = await putAgent(on.accounts.table, on.ada.id, { status: 'stopped' })
    const answer = await on.send({})
    expect(await answer.json()).toMatchObject({ agentId: on.agent.id })
    await on.accounts.table.delete({ pk: `user#${on.ada.id}`, sk: `agent#${newer.id}` })
  })

  it.each([
    ['started anew', 409, { status: 'provisioning', generation: 2 }],
    ['stopped', 409, { status: 'stopped', desired: 'stopped' }],
    ['replaced by one that runs', 409, { generation: 2 }],
    ['deleted', 404, { deleting: true }],
  ] as const)(
    'an agent that is %s during a turn returns %i without the words of its end',
    async (...given) => {
      const [, status, became] = given
      const ended = await putAgent(on.accounts.table, on.ada.id, { address: on.agent.address })
      on.gateway.reply = (response) => {
        void putAgent(on.accounts.table, on.ada.id, { ...ended, ...became }).then(() =>
          sendJson(response, 401, { error: { message: 'Unauthorized', code: null } }),
        )
      }
      for (const stream of [false, true]) {
        await putAgent(on.accounts.table, on.ada.id, ended)
        const answer = await on.send({ agentId: ended.id, stream })
        expect(answer.status).toBe(status)
        expect(await answer.json()).toEqual(
          status === 404
            ? { error: 'Agent not found' }
            : {
                error: 'The agent was stopped or restarted in the meantime',
                code: 'AGENT_NOT_RUNNING',
                status: 'status' in became ? became.status : 'running',
              },
        )
      }
      await on.accounts.table.delete({ pk: `user#${on.ada.id}`, sk: `agent#${ended.id}` })
    },
  )

  it('an agent that streams its answer among heartbeats and empty fields is read', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Fine.' },
    ]
    on.gateway.reply = (response) =>
      sendJson(response, 200, { choices: [{ delta: null, message: { content } }] })
    expect(await (await on.send({})).json()).toMatchObject({ reply: 'Fine.' })
    on.gateway.reply = (response) => {
      beginStream(response)
      response.write('data:\n\ndata: ping\n\n')
      for (const event of [{ type: 'ping' }, { choices: null }, { choices: [{ delta: null }] }])
        sendEvent(response, event)
      sendEvent(response, { choices: [{ message: null, delta: { content } }] })
      endStream(response)
    }
    expect(await (await on.send({ stream: true })).text()).toContain('Fine.')
    expect(await on.last()).toMatchObject({ sender: 'agent', content: 'Fine.' })
  })

  it('an agent that does not accept its token returns 502, not the caller’s 401', async () => {
    on.gateway.reply = (response) =>
      sendJson(response, 401, { error: { message: 'No.', code: 'invalid_token' } })
    const answer = await on.send({})
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: 'No.', code: 'invalid_token' },
    ])
  })

  it.each([
    ['invalid JSON', (response: ServerResponse) => void response.writeHead(200).end('<html>')],
    [
      'an error that is not JSON',
      (response: ServerResponse) => void response.writeHead(500).end('x'),
    ],
    [
      'a redirect',
      (response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
    ],
    ['another format', (response: ServerResponse) => sendJson(response, 200, { choices: 7 })],
    [
      'a truncated answer',
      (response: ServerResponse) => void flush(response, '{').then(() => response.destroy()),
    ],
    ['an endless answer', (response: ServerResponse) => void response.end('x'.repeat(4_194_305))],
    ['too many lists', (response: ServerResponse) => sayBeside(response, manyLists)],
  ])('an agent that responds with %s returns 502 without its words', async (_, reply) => {
    on.gateway.reply = reply
    const answer = await on.send({})
    expect(answer.status).toBe(502)
    const { error, code } = (await answer.json()) as Record<string, string>
    expect(error).toMatch(/^The agent/)
    expect(code).toMatch(/^AGENT_(FAILED|UNREACHABLE)$/)
    expect(await on.last()).toMatchObject({ sender: 'user' })
  })

  it('an agent that fails without a message leaves a failed turn', async () => {
    const traced = async () => {
      const { table } = on.accounts
      const call = callerOf(missionControl, { table, gatewayUrl: undefined })
      const { session } = on.ada
      return (await platformOver(call, { session }).fleet.traces()).traces[0]
    }
    for (const stream of [false, true]) {
      const description = `Fail, ${stream ? 'streaming' : 'whole'}`
      on.gateway.reply = (response) => void response.writeHead(500).end('x')
      expect((await on.send({ message: description, stream })).status).toBe(502)
      const completedAt = expect.any(String)
      expect(await traced()).toMatchObject({ description, status: 'failed', completedAt })
    }
    on.gateway.reply = (response) => say(response, 'Fine.')
    await on.send({ message: 'Again' })
    expect(await traced()).toMatchObject({ description: 'Again', status: 'completed' })
  })

  it('an agent that does not respond returns 504', async () => {
    ownTimeouts()
    on.gateway.reply = (response) => passTime(() => !response.destroyed, stepMs)
    for (const stream of [false, true]) {
      const answer = await on.send({ stream })
      expect([answer.status, await answer.json()]).toEqual([
        504,
        { error: expect.stringContaining('60 s'), code: 'AGENT_TIMEOUT' },
      ])
    }
  })

  it('an agent that never ends its answer is cut off', async () => {
    ownTimeouts()
    on.gateway.reply = (response) => {
      beginStream(response)
      const talk = () => sayChunk(response, 'and ')
      return passTime(() => !response.destroyed, stepMs, talk)
    }
    const events = await allEvents(await on.send({ stream: true }))
    expect(events.at(-1)).toEqual({
      event: 'error',
      id: expect.stringMatching(/^msg_/),
      data: { error: expect.stringContaining('180 s'), code: 'AGENT_TIMEOUT' },
    })
  })
})

describe('additional fields of an agent’s answer', () => {
  it.each([
    ['a model’s name', { model: 'm'.repeat(500_000) }],
    ['counts', { usage: { prompt_tokens: 1e300, completion_tokens: 1, total_tokens: 1 } }],
    [
      'fractional token counts',
      { usage: { prompt_tokens: -1.5, completion_tokens: 1, total_tokens: 1 } },
    ],
  ])('do not cost the answer: %s that is too large to store', async (_, beside) => {
    on.gateway.reply = (response) =>
      sendJson(response, 200, { choices: [{ message: { content: 'Fine.' } }], ...beside })
    const answer = await on.send({})
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ reply: 'Fine.', model: null, usage: null }),
    ])
    expect(await on.last()).toMatchObject({ sender: 'agent', content: 'Fine.' })
  })

  it('are truncated in the reason of a failure', async () => {
    on.gateway.reply = (response) =>
      sendJson(response, 402, { error: { message: 'e'.repeat(1000), code: 'broke' } })
    const cut = await on.send({})
    expect([cut.status, await cut.json()]).toEqual([402, { error: 'e'.repeat(500), code: 'broke' }])
    on.gateway.reply = (response) =>
      sendJson(response, 402, { error: { message: 'No.', more: 'x'.repeat(1_000_000) } })
    expect(await (await on.send({})).json()).toEqual({
      error: 'The agent failed',
      code: 'AGENT_FAILED',
    })
  })
})
