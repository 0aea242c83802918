import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AiCaller, type AiFunction, startAiFunction } from '../support/ai/ai-function.ts'
import { type MockModels, startMockModels } from '../support/ai/mock-models.ts'
import { eventually } from '../support/clock/eventually.ts'

const hello = [{ role: 'user' as const, content: 'hello' }]
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

let models: MockModels
let gateway: AiFunction
let caller: AiCaller

beforeAll(async () => {
  models = await startMockModels()
  models.aimock.onMessage('hello', { content: 'Hello from afar, and welcome!' })
  // The first matching rule answers. The question is still in the conversation when the tool's result arrives, so its
  // rule comes first.
  models.aimock.onToolResult('call_oslo', { content: 'It rains in Oslo.' })
  models.aimock.onMessage('weather', {
    toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}', id: 'call_oslo' }],
  })
  gateway = await startAiFunction({
    AI_PROVIDERS: JSON.stringify(models.providers),
    AI_MODEL_TIMEOUT_MS: '120000',
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
})
beforeEach(async () => {
  caller = await gateway.newCaller()
})

/** Returns the events of this number of calls, once all are recorded. */
const recorded = (count: number) =>
  eventually(async () => {
    const events = await caller.events()
    expect(events).toHaveLength(count)
    return events
  })

/** One of the mocks counts reasoning outside the completion, as xAI does: only the total includes both. */
const outputOf = (usage: OpenAI.CompletionUsage | null | undefined) =>
  usage && usage.total_tokens - usage.prompt_tokens

describe.each(['aimock/gpt-4o', 'mock/mock-gpt-thinking'])(
  'the official client with %s',
  (model) => {
    const provider = model.slice(0, model.indexOf('/'))

    it('chats', async () => {
      const answer = await caller.openai.chat.completions.create({ model, messages: hello })
      expect(answer).toMatchObject({ object: 'chat.completion', model })
      expect(answer.choices[0]?.message.content).toMatch(/hello/i)
      const [event] = await recorded(1)
      expect(event).toMatchObject({
        model,
        provider,
        success: true,
        inputTokens: answer.usage?.prompt_tokens,
        outputTokens: outputOf(answer.usage),
      })
      const used = Number(event?.inputTokens) + Number(event?.outputTokens)
      expect(await caller.quota()).toMatchObject({ used, committed: used })
    })

    it('streams the same, chunk by chunk, with the usage last', async () => {
      const whole = await caller.openai.chat.completions.create({ model, messages: hello })
      const stream = await caller.openai.chat.completions.create({
        model,
        messages: hello,
        stream: true,
        stream_options: { include_usage: true },
      })
      const chunks: OpenAI.ChatCompletionChunk[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
      // One of the mocks trims answers that it does not stream.
      expect(text.trim()).toBe(whole.choices[0]?.message.content?.trim())
      expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set([model]))
      expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1)
      const last = chunks.at(-1)?.usage
      const events = await recorded(2)
      expect(events[1]).toMatchObject({
        success: true,
        inputTokens: last?.prompt_tokens,
        outputTokens: outputOf(last),
      })
    })
  },
)

describe('tools', () => {
  it('reach the model, and its calls and their results are returned', async () => {
    const model = 'aimock/gpt-4o'
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'weather?' }]
    const request = await caller.openai.chat.completions.create({ model, messages, tools })
    const message = request.choices[0]?.message
    expect(request.choices[0]?.finish_reason).toBe('tool_calls')
    expect(message?.tool_calls).toMatchObject([
      { id: 'call_oslo', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
    ])
    if (message !== undefined) messages.push(message)
    messages.push({ role: 'tool', tool_call_id: 'call_oslo', content: 'rain' })
    const result = await caller.openai.chat.completions.create({ model, messages, tools })
    expect(result.choices[0]?.message.content).toBe('It rains in Oslo.')
    expect(models.aimock.getRequests().at(-1)?.body).toMatchObject({ tools })
  })

  it.each([
    ['aimock/gpt-4o', 'weather?'],
    ['mock/gpt-4-mock', 'hello'],
  ])('are called in a stream of %s', async (model, content) => {
    const messages = [{ role: 'user' as const, content }]
    const stream = caller.openai.chat.completions.stream({ model, messages, tools })
    const [call] = (await stream.finalMessage()).tool_calls ?? []
    expect(call).toMatchObject({ type: 'function', id: expect.any(String) })
    if (call?.type !== 'function') throw new Error('no function was called')
    expect(call.function.name).toMatch(/^get_/)
    expect(JSON.parse(call.function.arguments)).toBeTypeOf('object')
  })
})

describe('models and errors', () => {
  it('list the models of both providers', async () => {
    const listed = await caller.openai.models.list()
    const ids = listed.data.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['aimock/gpt-4o', 'mock/mock-gpt-thinking']))
  })

  const create = (openai: OpenAI, body: object) =>
    openai.chat.completions.create({ model: 'aimock/gpt-4o', messages: hello, ...body })

  it('have the error classes of the client', async () => {
    const refused = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
    const { openai } = caller
    expect(await refused(create(openai, { model: 'mock/none' }))).toBeInstanceOf(
      OpenAI.NotFoundError,
    )
    expect(await refused(create(openai, { messages: [] }))).toMatchObject({
      status: 400,
      param: 'messages',
      type: 'invalid_request_error',
    })
    const stranger = openai.withOptions({ apiKey: `sk_${'0'.repeat(64)}` })
    expect(await refused(create(stranger, {}))).toBeInstanceOf(OpenAI.AuthenticationError)
    const solo = await gateway.newCaller('solo')
    expect(await refused(create(solo.openai, { model: 'openai/gpt-4-turbo' }))).toMatchObject({
      status: 403,
      code: 'MODEL_RESTRICTED',
    })
    expect(await caller.events()).toEqual([])
  })

  it('report that no model answers, and count nothing', async () => {
    models.aimock.nextRequestError(500, { message: 'out of order' })
    const error = await create(caller.openai, {}).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      status: 502,
      code: 'AI_UNAVAILABLE',
      error: { attempts: [{ model: 'aimock/gpt-4o', status: 500 }] },
    })
    expect(await caller.events()).toEqual([])
  })
})
