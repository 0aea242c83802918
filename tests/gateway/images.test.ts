import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { type Behaviour, fails, sendJson } from '../support/ai/upstream.ts'

const model = 'openai/gpt-image-2'
const picture = Buffer.from('not really a picture').toString('base64')
const counted = {
  input_tokens: 10,
  output_tokens: 1000,
  total_tokens: 1010,
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
}

const paints =
  (more: object): Behaviour =>
  (response) =>
    sendJson(response, 200, { created: 1, data: [{ b64_json: picture }], ...more })

const partial = { type: 'image_generation.partial_image', b64_json: picture }
const completed = { type: 'image_generation.completed', b64_json: picture, usage: counted }

const streams =
  (events: readonly { type: string }[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events)
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  }

describe('the official client’s images', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,images' })

  it('are paid by tokens', async () => {
    on.upstream.serve(model, paints({ usage: counted, quality: 'low', size: '1024x1024' }))
    const answer = await on.caller.openai.images.generate({ model, prompt: 'A cat', n: 1 })
    expect(answer.data).toEqual([{ b64_json: picture }])
    expect(on.upstream.asked).toMatchObject([
      { path: '/images/generations', body: { model, prompt: 'A cat', n: 1 } },
    ])
    expect(await on.caller.events()).toMatchObject([
      {
        model,
        endpoint: '/v1/images/generations',
        inputTokens: 10,
        outputTokens: 1000,
        costUsd: 0.03005,
        estimated: false,
      },
    ])
  })

  it('have the maximum as an estimate if the provider counts nothing', async () => {
    on.upstream.serve(model, paints({}))
    await on.caller.openai.images.generate({
      model,
      prompt: 'A cat',
      quality: 'low',
      size: '1024x1024',
    })
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 2, outputTokens: 410, estimated: true },
    ])
  })

  it('the official client’s images of a model without a price have no cost', async () => {
    on.upstream.serve('acme/flux', paints({}))
    await on.caller.openai.images.generate({ model: 'acme/flux', prompt: 'A cat' })
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 0, outputTokens: 0, costUsd: null, estimated: false },
    ])
  })

  it('are streamed, and the last event waits for the record', async () => {
    on.upstream.serve(model, streams([partial, completed]))
    const stream = await on.caller.openai.images.generate({
      model,
      prompt: 'A cat',
      stream: true,
      partial_images: 1,
    })
    const events: unknown[] = []
    for await (const event of stream) events.push(event)
    expect(events).toEqual([partial, completed])
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 10, outputTokens: 1000, success: true, costUsd: 0.03005 },
    ])
  })

  it('report a stream that breaks off', async () => {
    on.upstream.serve(model, streams([partial]))
    const stream = await on.caller.openai.images.generate({ model, prompt: 'A cat', stream: true })
    const reading = (async () => {
      for await (const event of stream) expect(event).toEqual(partial)
    })()
    await expect(reading).rejects.toThrow(/interrupted/)
    expect(await on.caller.events()).toMatchObject([{ success: false }])
  })

  it('pass on only known fields, because others change the price', async () => {
    on.upstream.serve(model, paints({ usage: counted }))
    const { data, response } = await on.caller.openai.images
      .generate({ model, prompt: 'A cat', output_format: 'png', resolution: '4k' } as never)
      .withResponse()
    expect(data).toMatchObject({ created: 1 })
    expect(response.headers.get('x-ignored-fields')).toBe('resolution')
    const body = { model, prompt: 'A cat', output_format: 'png' }
    expect(on.upstream.asked.map((asked) => asked.body)).toEqual([body])
  })

  it('try no other model', async () => {
    on.upstream.serve(model, fails(429))
    const refused = on.caller.openai.images.generate({ model, prompt: 'A cat' })
    await expect(refused).rejects.toMatchObject({ status: 502 })
    expect(on.upstream.asked).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['prompt', { prompt: '' }],
    ['n', { n: 11 }],
    ['n', { n: 2, stream: true }],
    ['size', { size: 'large' }],
    ['response_format', { response_format: 'png' }],
    ['partial_images', { partial_images: 4 }],
  ])('refuse an invalid %s', async (param, body) => {
    const refused = on.caller.openai.images.generate({ model, prompt: 'A cat', ...body } as never)
    await expect(refused).rejects.toMatchObject({ status: 400, param })
    expect(on.upstream.asked).toEqual([])
  })
})

describe('images under a spend cap', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,images', PLAN_SPEND_CAPS_USD: 'network=0.5' })

  it('hold the maximum of each image, so that calls at once exceed the cap by less than one call', async () => {
    const high = { model, prompt: 'A cat', quality: 'high', size: '1024x1024' } as const
    const used = { ...counted, output_tokens: 7000, total_tokens: 7010 }
    on.upstream.serve(model, async (response, asked) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await paints({ usage: used })(response, asked)
    })
    const asking = Array.from({ length: 20 }, () => on.caller.openai.images.generate(high))
    const settled = await Promise.allSettled(asking)
    const refused = settled.filter(({ status }) => status === 'rejected')
    // 7,100 tokens at 30 USD a million: two images fit, and the third begins below the cap.
    expect(refused).toHaveLength(17)
    for (const refusal of refused)
      expect(refusal).toMatchObject({ reason: { status: 429, code: 'SPEND_CAP_REACHED' } })
    expect(await on.caller.events()).toHaveLength(3)
    expect(await on.caller.quota()).toMatchObject({ usedMicroUsd: 3 * 210_050 })
  })

  it.each(['xhigh', 'max', 'constructor'])(
    'are refused in a quality whose tokens are not known: %s',
    async (quality) => {
      const refused = on.caller.openai.images.generate({
        model,
        prompt: 'A cat',
        quality: quality as 'high',
      })
      await expect(refused).rejects.toMatchObject({
        status: 400,
        param: 'quality',
        message: expect.stringContaining('low, medium, high, auto'),
      })
      expect(on.upstream.asked).toEqual([])
    },
  )

  it('are refused for a model without a price', async () => {
    const refused = on.caller.openai.images.generate({ model: 'acme/flux', prompt: 'A cat' })
    await expect(refused).rejects.toMatchObject({ status: 403, code: 'MODEL_UNPRICED' })
    expect(on.upstream.asked).toEqual([])
  })
})
