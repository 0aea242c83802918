import { describe, expect, it } from 'vitest'
import { startAiFunction, useAiFunction } from '../support/ai/ai-function.ts'
import { testModelSets } from '../support/ai/model-sets.ts'
import { type Behaviour, fails, sendJson } from '../support/ai/upstream.ts'

const model = 'openai/tts-1'
const request = { model, input: 'Hello, world', voice: 'coral' }

/** Bytes that are not text in any encoding. */
const parts = [Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.from([0xc0, 0x00, 0xfe])]

const speaks =
  (chunks: readonly Buffer[] = parts): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    for (const chunk of chunks) {
      response.write(chunk)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    response.end()
  }

describe('the official client’s speech', () => {
  const further = { label: [], solo: [model], collective: [] }
  const PLAN_MODELS = JSON.stringify({ ...testModelSets.PLAN_MODELS, further })
  const on = useAiFunction({ AI_SPEAKS: 'chat,speech', PLAN_MODELS })

  it('is sent byte for byte, and priced by characters', async () => {
    on.upstream.serve(model, speaks())
    const answer = await on.caller.openai.audio.speech.create({
      ...request,
      response_format: 'mp3',
    })
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.concat(parts))
    expect(on.upstream.asked).toMatchObject([
      { path: '/audio/speech', body: { ...request, response_format: 'mp3' } },
    ])
    expect(await on.caller.events()).toMatchObject([
      {
        model,
        endpoint: '/v1/audio/speech',
        inputTokens: 0,
        outputTokens: 0,
        costUsd: 0.00018,
        estimated: false,
        success: true,
      },
    ])
  })

  it('counts toward the tokens of a plan, although it is priced by characters', async () => {
    on.upstream.serve(model, speaks())
    const { openai, quota } = await on.gateway.newCaller('solo')
    await (await openai.audio.speech.create(request)).arrayBuffer()
    expect(await quota()).toMatchObject({ used: 8 * request.input.length })
  })

  it('is estimated for a model that is billed by tokens, whose audio has no count', async () => {
    const tokens = 'openai/gpt-4o-mini-tts'
    on.upstream.serve(tokens, speaks())
    const answer = await on.caller.openai.audio.speech.create({ ...request, model: tokens })
    await answer.arrayBuffer()
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 4, outputTokens: 26, estimated: true, costUsd: 0.0003144 },
    ])
  })

  it('is estimated to last longer if its characters are words, such as digits', async () => {
    const tokens = 'openai/gpt-4o-mini-tts'
    on.upstream.serve(tokens, speaks())
    for (const input of ['hellohello', '1234567890', '你好世界你好世界你好']) {
      const answer = await on.caller.openai.audio.speech.create({
        ...request,
        input,
        model: tokens,
      })
      await answer.arrayBuffer()
    }
    const events = await on.caller.events()
    expect(events.map(({ outputTokens }) => outputTokens as number)).toEqual([21, 84, 84])
  })

  it('has no known cost if the model has only a price of tokens, and none are counted', async () => {
    const other = 'acme/tokens-tts'
    const pricing = { prompt: '0.0000005', completion: '0.000009' }
    on.upstream.list([
      { id: other, pricing },
      { id: model, pricing: { prompt: '0', completion: '0' } },
    ])
    for (const each of [other, model]) on.upstream.serve(each, speaks())
    const listed = await startAiFunction({
      AI_SPEAKS: 'chat,speech',
      AI_BASE_URL: on.upstream.baseUrl,
    })
    try {
      const caller = await listed.newCaller()
      for (const each of [other, model]) {
        const answer = await caller.openai.audio.speech.create({ ...request, model: each })
        await answer.arrayBuffer()
      }
      // The list has no price of characters, so the price file's is used.
      expect(await caller.events()).toMatchObject([{ costUsd: null }, { costUsd: 0.00018 }])
    } finally {
      await listed[Symbol.asyncDispose]()
    }
  })

  it('is streamed as events, with the provider’s count', async () => {
    const usage = { input_tokens: 3, output_tokens: 20, total_tokens: 23 }
    const events = [
      { type: 'speech.audio.delta', audio: 'AAAA' },
      { type: 'speech.audio.done', usage },
    ]
    on.upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
      response.end()
    })
    const answer = await on.caller.openai.audio.speech.create({ ...request, stream_format: 'sse' })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(
      events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    )
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 3, outputTokens: 20, estimated: false },
    ])
  })

  it('breaks off if the provider’s audio does', async () => {
    on.upstream.serve(model, async (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 100 })
      response.write(parts[0])
      response.write(parts[1])
      await new Promise((resolve) => setTimeout(resolve, 50))
      response.destroy()
    })
    const answer = await on.caller.openai.audio.speech.create(request)
    await expect(answer.arrayBuffer()).rejects.toThrow(/terminated|aborted/)
    expect(await on.caller.events()).toMatchObject([{ success: false, costUsd: 0.00018 }])
  })

  it.each<[string, Behaviour]>([
    ['a failure', fails(500)],
    ['no audio', (response) => sendJson(response, 200, { ok: true })],
    ['nothing', speaks([])],
  ])('has no answer after %s', async (_, behaviour) => {
    on.upstream.serve(model, behaviour)
    const refused = on.caller.openai.audio.speech.create(request)
    await expect(refused).rejects.toMatchObject({ status: 502, code: 'AI_UNAVAILABLE' })
    expect(await on.caller.events()).toEqual([])
  })

  it.each<[string, object]>([
    ['input', { input: '' }],
    ['voice', { voice: undefined }],
    ['response_format', { response_format: 'midi' }],
    ['stream_format', { stream_format: 'websocket' }],
    ['speed', { speed: 5 }],
  ])('refuses an invalid %s', async (param, body) => {
    const refused = on.caller.openai.audio.speech.create({ ...request, ...body } as never)
    await expect(refused).rejects.toMatchObject({ status: 400, param })
    expect(on.upstream.asked).toEqual([])
  })
})
