import { describe, expect, it } from 'vitest'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { TelemetryWork } from '#shared/signals/spans/topic.ts'
import { telemetry } from '#shared/signals/spans/topic.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'

const sent: TelemetryWork[] = []
let down = false
const spans: Queues<'telemetry'> = {
  send: async (_topic, message) => {
    if (down) throw new Error('the queue is down')
    sent.push(telemetry.schema().parse(message))
  },
  sendAll: () => Promise.reject(new Error('one message a call')),
}

const on = useGateway({ spans })
const fast = ['meta-llama/llama-3.3-70b-instruct', 'mistralai/mistral-7b-instruct'] as const
const network = { ...solo, plan: 'network' }
const withTelemetry = (content: boolean) => ({
  ...network,
  telemetry: { url: 'https://example.com/', headers: 'sealed', names: [], content },
})

const spansOf = (userId: string | null) =>
  sent.filter((work) => work.userId === userId).flatMap((work) => work.spans)

function chat(headers: Record<string, string>, body = {}) {
  return on.gateway.chat(
    { ...hello, ...body },
    { headers: { ...headers, 'x-user-id': undefined, 'x-user-plan': undefined } },
  )
}

describe('spans of calls', () => {
  it('are one per asked model, in the trace of the request', async () => {
    on.upstream.serve(fast[0], fails(503))
    on.upstream.serve(fast[1], says('Hi.', usage(7, 3)))
    const { userId, agentId, headers } = await agentCaller(on.table, withTelemetry(false))
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    expect((await chat({ ...headers, traceparent }, { model: 'fast' })).status).toBe(200)
    const found = spansOf(userId)
    const [first, second] = found
    expect(found.length).toBeGreaterThanOrEqual(2)
    const common = { traceId, parentSpanId: '00f067aa0ba902b7', kind: 3 }
    expect(first).toMatchObject({
      ...common,
      name: `chat ${fast[0]}`,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': fast[0],
        'gen_ai.agent.id': agentId,
        'error.type': '503',
      },
      error: expect.any(String),
    })
    expect(second).toMatchObject({
      ...common,
      name: `chat ${fast[1]}`,
      attributes: {
        'gen_ai.request.model': fast[1],
        'gen_ai.response.model': `${fast[1]}-2026`,
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
      },
    })
    expect(second).not.toHaveProperty('error')
    expect(new Set(found.map(({ spanId }) => spanId)).size).toBe(found.length)
    expect(JSON.stringify(found)).not.toMatch(/hello|Hi\./)
  })

  it('contain the cached and the reasoning tokens that the provider counts', async () => {
    const counted = usage(100, 50, {
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 20 },
    })
    on.upstream.serve(fast[0], says('Hi.', counted))
    const { userId, headers } = await keyHolder(on.table, withTelemetry(false))
    expect((await chat(headers, { model: fast[0] })).status).toBe(200)
    const [span] = spansOf(userId)
    expect(span?.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.cache_creation.input_tokens': 30,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.reasoning.output_tokens': 20,
    })
    on.upstream.serve(fast[0], says('Hi.', usage(1, 1)))
    const other = await keyHolder(on.table, withTelemetry(false))
    await chat(other.headers, { model: fast[0] })
    expect(Object.keys(spansOf(other.userId)[0]?.attributes ?? {}).join(' ')).not.toMatch(
      /cache|reasoning/,
    )
  })

  it.each([true, false])(
    'contain prompts and answers if their user enables it: %j',
    async (content) => {
      on.upstream.serve(fast[0], says('Good morning.', usage(1, 1)))
      const { userId, headers } = await keyHolder(on.table, withTelemetry(content))
      expect((await chat(headers, { model: fast[0] })).status).toBe(200)
      const text = JSON.stringify(spansOf(userId))
      expect([text.includes('hello'), text.includes('Good morning.')]).toEqual([content, content])
    },
  )

  it('contain messages in parts, with tool calls', async () => {
    on.upstream.serve(fast[0], says('Warm.', usage(1, 1)))
    const { userId, headers } = await keyHolder(on.table, withTelemetry(true))
    const request = {
      id: 'c1',
      type: 'function',
      function: { name: 'weather', arguments: '{"in":"Rome"}' },
    }
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'How warm?' }] },
      { role: 'assistant', content: null, tool_calls: [request] },
      { role: 'tool', tool_call_id: 'c1', content: '31' },
    ]
    expect((await chat(headers, { model: fast[0], messages })).status).toBe(200)
    const [span] = spansOf(userId)
    expect(JSON.parse(String(span?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', content: 'How warm?' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: { in: 'Rome' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '31' }] },
    ])
    expect(JSON.parse(String(span?.attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Warm.' }], finish_reason: 'stop' },
    ])
  })

  it('omit whole messages that exceed the size, and count them', async () => {
    on.upstream.serve(fast[0], says('Ä'.repeat(30_000), usage(1, 1)))
    const { userId, headers } = await keyHolder(on.table, withTelemetry(true))
    const messages = ['a', 'b', 'c'].map((letter) => ({
      role: 'user',
      content: letter.repeat(20_000),
    }))
    expect((await chat(headers, { model: fast[0], messages })).status).toBe(200)
    const [span] = spansOf(userId)
    const { attributes = {} } = span ?? {}
    const stored = JSON.parse(String(attributes['gen_ai.input.messages'])) as object[]
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain('aaa')
    expect(attributes).toMatchObject({
      'agent_platform.input.messages.left_out': 1,
      'gen_ai.output.messages': '[]',
      'agent_platform.output.messages.left_out': 1,
    })
  })

  it('fit into queue messages, however many models were asked', async () => {
    const { userId, headers } = await keyHolder(on.table, withTelemetry(true))
    for (const model of fast) on.upstream.serve(model, fails(503))
    const content = '"'.repeat(24_000)
    await chat(headers, { model: 'fast', messages: [{ role: 'user', content }] })
    const works = sent.filter((work) => work.userId === userId)
    expect(spansOf(userId).length).toBeGreaterThanOrEqual(2)
    for (const work of works) expect(Buffer.byteLength(JSON.stringify(work))).toBeLessThan(250_000)
  })

  it('are not sent for a user without a destination', async () => {
    on.upstream.serve(fast[0], says('Hi.'))
    const { userId, headers } = await keyHolder(on.table, network)
    expect((await chat(headers, { model: fast[0] })).status).toBe(200)
    expect(spansOf(userId)).toEqual([])
  })

  it('do not delay an answer', async () => {
    on.upstream.serve(fast[0], says('Hi.'))
    const { headers } = await keyHolder(on.table, withTelemetry(true))
    down = true
    const answer = await chat(headers, { model: fast[0] })
    down = false
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hi.' } }] })
  })
})
