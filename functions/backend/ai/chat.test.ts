import { describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import {
  adminEmail,
  eventsOf,
  hello,
  internalKey,
  itemsOf,
  quotaOf,
  useGateway,
  startGateway,
} from '#tests/support/ai/gateway.ts'
import { cutAfter, delta, fails, says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { chatAnswer } from './schema.ts'

fromMidMonth()

const fast = 'meta-llama/llama-3.3-70b-instruct'
const soloModels = [
  'openai/gpt-4o-mini',
  'google/gemini-2.0-flash',
  'xiaomi/mimo-v2-pro',
  'openai/gpt-4o',
  'anthropic/claude-3.5-sonnet',
]

const on = useGateway()
let users = 0

const newUser = () => `usr_ask${users++}`
const month = new Date().toISOString().slice(0, 7)

describe('a chat', () => {
  it('returns the platform’s format, names the provider, and is recorded', async () => {
    on.upstream.serve('openai/gpt-4o', says('Hi!', usage(1000, 100, { cached_tokens: 7 })))
    const user = newUser()
    const answer = await on.gateway.aiChat(
      { ...hello, model: 'openai/gpt-4o', temperature: 0.5, top_p: 1, n: 5, models: ['openai/o1'] },
      { headers: { 'x-user-id': user } },
    )
    expect(answer.status).toBe(200)
    const body = chatAnswer.parse(await answer.json())
    expect(body).toEqual({
      id: 'up-1',
      model: 'openai/gpt-4o',
      provider: 'router',
      message: { role: 'assistant', content: 'Hi!' },
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    expect(Math.abs(Date.parse(body.timestamp) - Date.now())).toBeLessThan(60_000)
    expect(on.upstream.asked[0]?.body).toEqual({
      ...hello,
      model: 'openai/gpt-4o',
      temperature: 0.5,
      top_p: 1,
      max_tokens: 16_384,
      max_completion_tokens: 16_384,
      stream: false,
    })
    expect(await eventsOf(on.table, user)).toEqual([
      expect.objectContaining({ costUsd: 0.00349125, endpoint: '/api/ai/chat', agentId: null }),
    ])
    expect(await quotaOf(on.table, user)).toMatchObject({ used: 1100, committed: 1100 })
  })

  it.each([
    [{ 'x-user-plan': undefined }, {}, 402, 'PLAN_REQUIRED'],
    [{ 'x-user-plan': 'free' }, {}, 402, 'PLAN_REQUIRED'],
    [{ 'x-user-plan': 'gold', 'x-billing-subscription-id': undefined }, {}, 402, 'PLAN_REQUIRED'],
    [{ 'x-billing-subscription-id': undefined }, {}, 402, 'SUBSCRIPTION_REQUIRED'],
    [{}, { model: 'openai/o1' }, 400, undefined],
    [{}, { ...hello, model: 'openai/o1' }, 403, 'MODEL_RESTRICTED'],
    [{ 'x-user-plan': 'network' }, { ...hello, model: 'a/b' }, 404, 'MODEL_NOT_FOUND'],
    [{ 'x-user-id': 'usr_full' }, { ...hello, model: 'openai/o1' }, 403, 'MODEL_RESTRICTED'],
    [{ 'x-user-id': 'usr_full' }, hello, 429, 'QUOTA_EXCEEDED'],
  ])('validates in a fixed order: %j %j', async (headers, body, status, code) => {
    on.upstream.list([{ id: 'acme/listed' }])
    const full = { pk: userPartition('usr_full'), sk: `quota#${month}` }
    await on.table.put({ ...full, used: 2_000_000, committed: 2_000_000 })
    const answer = await on.gateway.aiChat(body, { headers })
    expect(answer.status).toBe(status)
    const message = (await answer.json()) as Record<string, unknown>
    expect(message).toMatchObject({ success: false, error: expect.any(String) })
    expect(message.code).toBe(code)
    expect(message).not.toHaveProperty('param')
    if (code === 'MODEL_RESTRICTED') expect(message.allowedModels).toEqual(soloModels)
    if (code === 'QUOTA_EXCEEDED') expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(on.upstream.asked).toEqual([])
  })

  it('accepts an admin’s address as plan and subscription', async () => {
    on.upstream.serve(fast, says('Hi!', usage(1, 1)))
    const headers = {
      'x-user-email': adminEmail,
      'x-user-plan': undefined,
      'x-billing-subscription-id': undefined,
    }
    expect((await on.gateway.aiChat(hello, { headers })).status).toBe(200)
    const other = { ...headers, 'x-user-email': 'a@b.c' }
    expect((await on.gateway.aiChat(hello, { headers: other })).status).toBe(402)
  })

  it.each([
    [undefined, 401],
    ['Basic abc', 401],
    [`Bearer ${internalKey}x`, 403],
    [`Bearer sk_${'0'.repeat(64)}`, 401],
  ])('a chat by %s is rejected', async (authorization, status) => {
    const answer = await on.gateway.aiChat(hello, { headers: { authorization } })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: expect.any(String) })
  })

  it('is limited to 30 a minute before authentication', async () => {
    const limited = startGateway(on.table, { AI_BASE_URL: on.upstream.baseUrl, RATE_LIMITS: 'on' })
    const statuses: number[] = []
    // One new minute can begin in between.
    while (statuses.at(-1) !== 429 && statuses.length < 61) {
      const answer = await limited.aiChat({}, { headers: { authorization: undefined } })
      statuses.push(answer.status)
      expect(answer.headers.get('ratelimit-limit')).toBe('30')
      if (answer.status === 429)
        expect(await answer.json()).toEqual({ error: 'AI rate limit exceeded.' })
    }
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.length).toBeGreaterThan(30)
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([401]))
  })

  it('accepts a user’s key with the stored plan, and no agent’s key', async () => {
    on.upstream.serve(fast, says('Hi!', usage(1, 1)))
    const user = await keyHolder(on.table, { plan: 'free', status: 'active' })
    const paid = await keyHolder(on.table, solo)
    const network = { 'x-user-plan': 'network', 'x-user-email': adminEmail }
    const status = async (headers: Record<string, string>) =>
      (await on.gateway.aiChat(hello, { headers: { ...network, ...headers } })).status
    expect(await status(user.headers)).toBe(402)
    expect(await status(paid.headers)).toBe(200)
    expect(await eventsOf(on.table, paid.userId)).toHaveLength(1)
    await paid.remove()
    expect(await status(paid.headers)).toBe(401)
    const agent = await agentCaller(on.table, solo)
    expect(await status(agent.headers)).toBe(403)
  })

  it.each([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x', tool_call_id: 'c' }] }, 'role'],
    [{ messages: [{ role: 'developer', content: 'x' }] }, 'role'],
    [{ messages: [{ role: 'user' }] }, 'content'],
    [{ messages: [{ role: 'user', content: 7 }] }, 'content'],
    [{ ...hello, taskType: 'cooking' }, 'taskType'],
    [{ ...hello, taskType: '__proto__' }, 'taskType'],
    [{ ...hello, max_tokens: 0 }, 'max_tokens'],
    [{ ...hello, max_tokens: 1e15 }, 'max_tokens'],
    [{ ...hello, max_tokens: '5' }, 'max_tokens'],
    [{ ...hello, temperature: 3 }, 'temperature'],
    [{ ...hello, top_p: -1 }, 'top_p'],
    [{ ...hello, model: 7 }, 'model'],
    [{ ...hello, tools: {} }, 'tools'],
  ])('rejects %j and names the field', async (body, field) => {
    const user = newUser()
    const answer = await on.gateway.aiChat(body, { headers: { 'x-user-id': user } })
    expect(answer.status).toBe(400)
    const error = expect.stringMatching(new RegExp(`\\b${field}\\b`))
    expect(await answer.json()).toMatchObject({ error })
    expect(on.upstream.asked).toEqual([])
    expect(await itemsOf(on.table, userPartition(user))).toEqual([])
  })

  it.each([
    ['malformed JSON', '{"messages":', 400],
    ['a value that is not an object', '[]', 400],
    ['over 1 MB', JSON.stringify({ messages: 'x'.repeat(1_048_576) }), 413],
  ])('rejects %s', async (_, body, status) => {
    expect((await on.gateway.aiChat(body)).status).toBe(status)
  })

  it('accepts a prompt of nearly 1 MB, and reserves its possible tokens', async () => {
    on.upstream.serve(fast, says('long', usage(300_000, 1)))
    const user = newUser()
    const messages = [{ role: 'user', content: 'x'.repeat(1_048_000) }]
    const headers = { 'x-user-id': user }
    expect((await on.gateway.aiChat({ messages }, { headers })).status).toBe(200)
    expect(await quotaOf(on.table, user)).toMatchObject({ used: 300_001, committed: 300_001 })
  })

  it.each([
    [undefined, fast],
    [null, fast],
    ['general', fast],
    ['fast', fast],
    ['reasoning', 'deepseek/deepseek-r1'],
    ['coding', 'qwen/qwen-2.5-coder-32b-instruct'],
    ['creative', 'moonshotai/kimi-k2.5'],
  ])('a chat for the task %s asks its first model in every plan', async (taskType, model) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    const answer = await on.gateway.aiChat({ ...hello, taskType })
    expect(await answer.json()).toMatchObject({ model })
    expect(on.upstream.asked.map((asked) => asked.model)).toEqual([model])
  })

  it('names the models that were tried if none answers', async () => {
    on.upstream.serve(fast, fails(500))
    const answer = await on.gateway.aiChat(hello)
    expect(answer.status).toBe(502)
    expect(await answer.json()).toEqual({
      success: false,
      error: 'No model could answer',
      code: 'AI_UNAVAILABLE',
      attempts: [
        { model: fast, status: 500, ms: expect.any(Number) },
        { model: 'mistralai/mistral-7b-instruct', status: 404, ms: expect.any(Number) },
        { model: 'google/gemini-2.0-flash-001', status: 404, ms: expect.any(Number) },
      ],
    })
  })

  it('forwards tools and tool calls', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }
    on.upstream.serve('openai/gpt-4o', (response) => {
      const message = { role: 'assistant', content: null, tool_calls: [call], refusal: null }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ index: 0, message }], usage: usage(5, 5) }))
    })
    const tools = [{ type: 'function', function: { name: 'add', parameters: {} } }]
    const answer = await on.gateway.aiChat({
      model: 'openai/gpt-4o',
      messages: [...hello.messages, { role: 'assistant', content: null, tool_calls: [call] }],
      tools,
      tool_choice: 'auto',
    })
    expect(await answer.json()).toMatchObject({
      id: expect.stringMatching(/^chatcmpl_/),
      message: { role: 'assistant', content: null, tool_calls: [call] },
    })
    expect(on.upstream.asked[0]?.body).toMatchObject({ tools, tool_choice: 'auto' })
  })

  it('streams OpenAI’s chunks, the usage last', async () => {
    on.upstream.serve(fast, says('Hey', usage(3, 3)))
    const answer = await on.gateway.aiChat({ ...hello, stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const events = (await answer.text()).trimEnd().split('\n\n')
    expect(events.at(-1)).toBe('data: [DONE]')
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)))
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hey')
    for (const chunk of chunks)
      expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: fast })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: usage(3, 3) })
  })

  it('reports an interrupted stream in its own format', async () => {
    on.upstream.serve(fast, cutAfter([delta({ content: 'Hey' })]))
    const text = await (await on.gateway.aiChat({ ...hello, stream: true })).text()
    const [, data = ''] = text.split('event: error\ndata: ')
    expect(JSON.parse(data)).toEqual({ error: expect.any(String), code: 'AI_INTERRUPTED' })
    expect(text).not.toContain('[DONE]')
  })
})
