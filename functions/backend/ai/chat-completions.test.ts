import { describe, expect, it } from 'vitest'
import {
  adminEmail,
  eventsOf,
  hello,
  quotaOf,
  useGateway,
  startGateway,
} from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway({ AI_API_KEY: 'provider-key' })

let users = 0
const newUser = () => `usr_chat${users++}`

describe('a chat completion', () => {
  it('returns OpenAI’s format, names the provider, and is recorded', async () => {
    on.upstream.serve('openai/gpt-4o', says('Hi!', usage(1000, 100)))
    const user = newUser()
    const answer = await on.gateway.chat(
      { ...hello, model: 'openai/gpt-4o', temperature: 0.5, models: [], nobodys: 'field' },
      { headers: { 'x-user-id': user } },
    )
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      id: 'up-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'openai/gpt-4o',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hi!' }, finish_reason: 'stop' },
      ],
      usage: usage(1000, 100),
    })
    const [request] = on.upstream.asked
    expect(request?.authorization).toBe('Bearer provider-key')
    expect(request?.body).toEqual({
      ...hello,
      model: 'openai/gpt-4o',
      temperature: 0.5,
      max_tokens: 16_384,
      max_completion_tokens: 16_384,
      stream: false,
    })
    expect(await eventsOf(on.table, user)).toEqual([
      expect.objectContaining({
        userId: user,
        agentId: null,
        model: 'openai/gpt-4o',
        provider: 'router',
        kind: 'completion',
        inputTokens: 1000,
        outputTokens: 100,
        costUsd: 0.0035,
        success: true,
        endpoint: '/v1/chat/completions',
      }),
    ])
    expect(await quotaOf(on.table, user)).toMatchObject({ used: 1100, committed: 1100 })
  })

  it.each([
    [{ 'x-user-plan': undefined }, 402, 'PLAN_REQUIRED'],
    [{ 'x-user-plan': 'free' }, 402, 'PLAN_REQUIRED'],
    [{ 'x-user-plan': 'Solo' }, 402, 'PLAN_REQUIRED'],
    [{ 'x-billing-subscription-id': undefined }, 402, 'SUBSCRIPTION_REQUIRED'],
    [{ 'x-billing-subscription-id': ' ' }, 402, 'SUBSCRIPTION_REQUIRED'],
    [{ authorization: undefined }, 401, null],
    [{ authorization: 'Bearer sk_unknown' }, 401, null],
    [{ authorization: `Bearer ak_${'0'.repeat(64)}` }, 401, null],
  ])('rejects %j before it validates the body', async (headers, status, code) => {
    const answer = await on.gateway.chat({ model: 7 }, { headers })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({
      error: { message: expect.any(String), type: expect.any(String), code, param: null },
    })
    expect(on.upstream.asked).toEqual([])
  })

  it('accepts an admin’s address as plan and subscription', async () => {
    on.upstream.serve('meta-llama/llama-3.3-70b-instruct', says('Hi!', usage(1, 1)))
    const headers = {
      'x-user-email': adminEmail.toUpperCase(),
      'x-user-plan': undefined,
      'x-billing-subscription-id': undefined,
    }
    expect((await on.gateway.chat(hello, { headers })).status).toBe(200)
    expect(
      (await on.gateway.chat(hello, { headers: { ...headers, 'x-user-email': 'a@b.c' } })).status,
    ).toBe(402)
  })

  it.each([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: 'hello' }, 'messages'],
    [{ messages: [{ role: 'root', content: 'x' }] }, 'messages.0.role'],
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
    [{ ...hello, max_tokens: 0 }, 'max_tokens'],
    [{ ...hello, max_tokens: -1 }, 'max_tokens'],
    [{ ...hello, max_tokens: 1.5 }, 'max_tokens'],
    [{ ...hello, max_tokens: 1e15 }, 'max_tokens'],
    [{ ...hello, max_completion_tokens: '5' }, 'max_completion_tokens'],
    [{ ...hello, temperature: 3 }, 'temperature'],
    [{ ...hello, model: 7 }, 'model'],
    [{ ...hello, n: 1000 }, 'n'],
    [{ ...hello, stream: 'yes' }, 'stream'],
    [{ ...hello, tools: {} }, 'tools'],
  ])('rejects %j and names the field', async (body, param) => {
    const answer = await on.gateway.chat(body)
    expect(answer.status).toBe(400)
    const message = expect.stringMatching(new RegExp(`^(.*\\.)?${param.split('.').at(-1)}\\b`))
    expect(await answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: null, param, message },
    })
    expect(on.upstream.asked).toEqual([])
  })

  it('limits a plan to its models', async () => {
    const answer = await on.gateway.chat({ ...hello, model: 'openai/gpt-4-turbo' })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toEqual({
      error: {
        message: 'The model openai/gpt-4-turbo is not part of the solo plan',
        type: 'permission_error',
        code: 'MODEL_RESTRICTED',
        param: 'model',
        allowedModels: [
          'openai/gpt-4o-mini',
          'google/gemini-2.0-flash',
          'xiaomi/mimo-v2-pro',
          'openai/gpt-4o',
          'anthropic/claude-3.5-sonnet',
        ],
      },
    })
  })

  it('returns to a network caller the error that no provider lists a model', async () => {
    on.upstream.list([{ id: 'acme/new-model' }])
    on.upstream.serve('acme/new-model', says('new', usage(1, 1)))
    const headers = { 'x-user-plan': 'network' }
    const unknown = await on.gateway.chat({ ...hello, model: 'acme/no-model' }, { headers })
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: { code: 'MODEL_NOT_FOUND' } })
    const listed = await on.gateway.chat({ ...hello, model: 'acme/new-model' }, { headers })
    expect(await listed.json()).toMatchObject({ model: 'acme/new-model' })
  })

  it('forwards tools in both directions', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
    on.upstream.serve('openai/gpt-4o', (response) => {
      const message = { role: 'assistant', content: null, tool_calls: [call] }
      const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ id: 'x', choices, usage: usage(5, 5) }))
    })
    const request = {
      model: 'openai/gpt-4o',
      messages: [
        { role: 'system', content: 'Add.' },
        { role: 'user', content: [{ type: 'text', text: '1+1' }] },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: '2' },
      ],
      tools: [{ type: 'function', function: { name: 'add', parameters: {} } }],
      tool_choice: 'auto',
    }
    const answer = await on.gateway.chat(request)
    expect(await answer.json()).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] })
    expect(on.upstream.asked[0]?.body).toMatchObject(request)
  })

  it('returns an invalid request as 400 without asking another model', async () => {
    on.upstream.serve('openai/gpt-4o', fails(400, 'image too large'))
    const user = newUser()
    const answer = await on.gateway.chat(
      { ...hello, model: 'openai/gpt-4o' },
      { headers: { 'x-user-id': user } },
    )
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { message: 'image too large' } })
    expect(on.upstream.asked).toHaveLength(1)
    expect(await eventsOf(on.table, user)).toEqual([])
    expect(await quotaOf(on.table, user)).toMatchObject({ committed: 0 })
  })

  it('names the missing settings if no provider is configured', async () => {
    const answer = await startGateway(on.table, {}).chat(hello)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({
      error: { message: 'AI is not configured', missing: ['AI_BASE_URL', 'AI_API_KEY'] },
    })
  })
})
