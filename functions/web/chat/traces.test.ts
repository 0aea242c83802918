import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { profileKey } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { Span } from '#shared/signals/spans/span.ts'
import { telemetry, type TelemetryWork } from '#shared/signals/spans/topic.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { chatCaller, useChatAgent } from '#tests/support/conversations/chat.ts'
import { allEvents } from '#tests/support/http/event-stream.ts'
import { sendJson, type Upstream } from '../../../agent/gateway/testing/upstream.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentSpanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${parentSpanId}-01`
const started = await useChatAgent()
let accounts: Accounts
/** Stands in for the platform's AI gateway, behind a real agent. */
let models: Upstream
let call: ReturnType<typeof chatCaller>
let ada: { id: string; session: string }
let agent: Agent
let users = 0
const sent: TelemetryWork[] = []
const queues: Queues = {
  send: async (_topic, message) => void sent.push(telemetry.schema().parse(message)),
  sendAll: () => Promise.reject(new Error('one message a turn')),
}

beforeAll(async () => {
  accounts = await startAccounts()
  models = started.models
  call = chatCaller(accounts.table, { queues })
})
afterAll(() => accounts.close())
beforeEach(async () => {
  sent.length = 0
  ada = await accounts.signUp(`told${users++}@b.co`)
  agent = await started.putFor(accounts.table, ada.id)
})

function tell(content: boolean) {
  const set = { telemetry: { url: 'https://example.com/', headers: 'sealed', names: [], content } }
  return userStore(accounts.table, ada.id).update(profileKey, { set })
}

const send = (body = {}, headers: Record<string, string> = { traceparent }) =>
  call('POST', '/api/chat', { body: { message: 'How are you?', ...body }, ...ada, headers })

function told(): Span {
  expect(sent).toMatchObject([{ userId: ada.id, spans: [{}] }])
  return sent[0]?.spans[0] as Span
}

describe('the span of a turn', () => {
  it('is part of its caller’s trace, and parent of the agent’s model calls', async () => {
    await tell(false)
    expect((await send({ topic: 'trip' })).status).toBe(200)
    const span = told()
    expect(span).toMatchObject({
      traceId,
      parentSpanId,
      name: `invoke_agent ${agent.name}`,
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agent.id,
        'gen_ai.agent.name': agent.name,
        'gen_ai.conversation.id': 'trip',
        'gen_ai.usage.input_tokens': 3,
        'gen_ai.usage.output_tokens': 4,
      },
    })
    expect(span.end).toBeGreaterThanOrEqual(span.start)
    expect(span).not.toHaveProperty('error')
    expect(models.lastCall.headers).toMatchObject({
      traceparent: `00-${traceId}-${span.spanId}-01`,
      tracestate: expect.stringMatching(/^agent-platform=[0-9a-z]{26}$/),
    })
    expect(JSON.stringify(sent)).not.toMatch(/How are you|Fine/)
  })

  it('begins its own trace if its caller sends no valid one', async () => {
    await tell(false)
    await send({ stream: true }, { traceparent: '00-xyz' }).then(allEvents)
    const span = told()
    expect(span).not.toHaveProperty('parentSpanId')
    expect(models.lastCall.headers['traceparent']).toBe(`00-${span.traceId}-${span.spanId}-01`)
  })

  it('contains question and answer if its user enables it', async () => {
    await tell(true)
    await send()
    const { attributes } = told()
    const messages = (name: string) => JSON.parse(String(attributes[`gen_ai.${name}.messages`]))
    expect(messages('input')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'How are you?' }] },
    ])
    expect(messages('output')).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'Fine, thanks.' }],
        finish_reason: 'stop',
      },
    ])
  })

  it('contains the reason of a failed turn', async () => {
    await tell(false)
    models.reply = (response) =>
      sendJson(response, 402, { error: { message: 'The cap is reached', code: 'SPEND_CAP' } })
    expect((await send()).status).toBe(402)
    expect(told()).toMatchObject({
      error: 'The cap is reached',
      attributes: { 'error.type': 'SPEND_CAP' },
    })
  })

  it('is missing if no agent was asked, or its user disables it', async () => {
    expect((await send()).status).toBe(200)
    await tell(true)
    expect((await send({ agentId: newId('agt') })).status).toBe(404)
    expect(sent).toEqual([])
  })
})
