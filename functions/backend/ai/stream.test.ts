import { describe, expect, it } from 'vitest'
import type { Queues } from '#shared/platform/queues/port.ts'
import { eventsOf, quotaOf, startGateway, hello } from '#tests/support/ai/gateway.ts'
import {
  model,
  readStream,
  silence,
  stepMs,
  textOf,
  useStreams,
} from '#tests/support/ai/streams.ts'
import {
  type Behaviour,
  cutAfter,
  delta,
  fails,
  says,
  sendStream,
  usage,
} from '#tests/support/ai/upstream.ts'
import { passTime } from '#tests/support/clock/time.ts'

const sibling = 'openai/gpt-4o-mini'

const { on, caller, stream } = useStreams()

describe('a streamed completion', () => {
  it('forwards each chunk separately, then the usage, then [DONE]', async () => {
    on.upstream.serve(model, says('Hé ✓!', usage(9, 5, { cost: 0.25 })))
    const response = await stream()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const { events, reads } = await readStream(response)
    expect(reads).toBe(events.length)
    expect(textOf(events)).toBe('Hé ✓!')
    expect(events.at(-1)?.data).toBe('[DONE]')
    const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data))
    expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set([model]))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: usage(9, 5) })
    expect(on.upstream.asked[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(await eventsOf(on.table, caller.user)).toEqual([
      expect.objectContaining({ inputTokens: 9, outputTokens: 5, costUsd: 0.25, success: true }),
    ])
  })

  it('sends the usage only to a caller who requests it, and never in a chunk with text', async () => {
    on.upstream.serve(model, (response) =>
      sendStream(response, [
        { ...delta({ content: 'Hi' }), usage: usage(9, 1) },
        { ...delta({}, 'stop'), usage: usage(9, 2) },
        { choices: [], usage: usage(9, 2) },
        '[DONE]',
      ]),
    )
    const told = async (stream_options?: object) => {
      const request = { ...hello, model, stream: true, stream_options }
      const { events } = await readStream(await on.gateway.chat(request))
      expect(textOf(events)).toBe('Hi')
      const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data))
      return chunks.filter((chunk) => 'usage' in chunk || chunk.choices.length === 0)
    }
    expect(await told()).toEqual([])
    expect(await told({ include_usage: false })).toEqual([])
    expect(await told({ include_usage: true })).toMatchObject([{ choices: [], usage: usage(9, 2) }])
    for (const { body } of on.upstream.asked)
      expect(body.stream_options).toEqual({ include_usage: true })
  })

  it('forwards a chunk before the next one arrives', async () => {
    const next = Promise.withResolvers<void>()
    on.upstream.serve(model, async (response) => {
      await sendStream(response, [delta({ content: 'first' })], { end: false })
      await next.promise
      response.end(`data: ${JSON.stringify(delta({}, 'stop'))}\n\ndata: [DONE]\n\n`)
    })
    const reader = (await stream()).body?.getReader()
    const first = await reader?.read()
    expect(Buffer.from(first?.value as Uint8Array).toString()).toContain('first')
    next.resolve()
    while (!(await reader?.read())?.done);
  })

  it.each([true, false])(
    'ends after its record is written or queued: stream %s',
    async (stream) => {
      on.upstream.serve(model, says('ok', usage(1, 1)))
      const writing = Promise.withResolvers<void>()
      const slow = { ...on.table, transact: () => writing.promise }
      let text = ''
      const queued: { event: { outputTokens: number } }[] = []
      const settlements: Queues<'settlements'> = {
        async send(_, message) {
          expect(text).not.toMatch(/"stop"|\[DONE\]/)
          queued.push(message as never)
        },
        sendAll: () => Promise.reject(new Error('not asked for')),
      }
      const app = startGateway(slow, { AI_BASE_URL: on.upstream.baseUrl, settlements })
      const read = async () => {
        const response = await app.chat({ ...hello, model, stream })
        for await (const part of response.body ?? [])
          text += Buffer.from(part as Uint8Array).toString()
      }
      const reading = read()
      await passTime(() => !text.includes('"stop"'), 50)
      await reading
      expect(queued).toMatchObject([{ event: { outputTokens: 1, success: true } }])
      writing.resolve()
    },
  )

  it('estimates the tokens if the provider does not count them', async () => {
    on.upstream.serve(model, says('four score and seven years ago'))
    const { events } = await readStream(await stream())
    const last = JSON.parse(events.at(-2)?.data ?? '')
    expect(last).toMatchObject({ choices: [], object: 'chat.completion.chunk', id: 'up-1' })
    expect(last.usage.completion_tokens).toBeGreaterThan(5)
    const [event] = await eventsOf(on.table, caller.user)
    expect(event).toMatchObject({
      estimated: true,
      success: true,
      inputTokens: last.usage.prompt_tokens,
      outputTokens: last.usage.completion_tokens,
    })
  })

  it.each<[string, Behaviour]>([
    ['returns an error', fails(500)],
    [
      'sends an error first',
      (response) => sendStream(response, [{ error: { message: 'no', code: 502 } }]),
    ],
    [
      'sends nothing',
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    ],
    ['sends only [DONE]', (response) => sendStream(response, ['[DONE]'])],
    ['sends no JSON', (response) => sendStream(response, ['{"choices":'])],
    [
      'sends an oversized event',
      (response) => sendStream(response, [delta({ x: Array.from({ length: 100_000 }, () => []) })]),
    ],
    ['disconnects at once', (response) => void response.destroy()],
    [
      'disconnects after its headers',
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.flushHeaders()
        await new Promise(setImmediate)
        response.destroy()
      },
    ],
    ['does not respond', silence],
    [
      'stops after its headers',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        return silence(response)
      },
    ],
    [
      'returns no stream',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
  ])('tries the next model if the first %s', async (_, behaviour) => {
    on.upstream.serve(model, behaviour)
    on.upstream.serve(sibling, says('instead', usage(3, 3)))
    const { events } = await readStream(await stream())
    expect(textOf(events)).toBe('instead')
    expect(JSON.parse(events[0]?.data ?? '').model).toBe(sibling)
    expect(await eventsOf(on.table, caller.user)).toEqual([
      expect.objectContaining({ model: sibling, success: true, inputTokens: 3 }),
    ])
  })

  it.each<[string, Behaviour]>([
    ['is interrupted', cutAfter([delta({ content: 'one two three' })])],
    [
      'ends without [DONE]',
      (response) => sendStream(response, [delta({ content: 'one two three' })]),
    ],
    [
      'becomes invalid',
      (response) => sendStream(response, [delta({ content: 'one two three' }), 'x{']),
    ],
    [
      'sends no more data',
      async (response) => {
        await sendStream(response, [delta({ content: 'one two three' })], { end: false })
        await silence(response)
      },
    ],
    [
      'sends an error',
      (response) =>
        sendStream(response, [
          delta({ content: 'one two three' }),
          { error: { message: 'overloaded' } },
        ]),
    ],
  ])(
    'reports an error if the stream %s, and settles the tokens seen so far',
    async (_, behaviour) => {
      on.upstream.serve(model, behaviour)
      on.upstream.serve(sibling, says('never'))
      const { events } = await readStream(await stream())
      expect(events.map(({ event }) => event)).toEqual([undefined, 'error'])
      expect(JSON.parse(events[1]?.data ?? '')).toEqual({
        error: {
          message: expect.stringMatching(/^The model’s answer was interrupted/),
          type: 'api_error',
          code: 'AI_INTERRUPTED',
          param: null,
        },
      })
      const [event, ...more] = await eventsOf(on.table, caller.user)
      expect(more).toEqual([])
      expect(event).toMatchObject({ model, success: false, estimated: true })
      expect(event?.outputTokens).toBeGreaterThan(2)
      const used = Number(event?.inputTokens) + Number(event?.outputTokens)
      expect(await quotaOf(on.table, caller.user)).toMatchObject({ used, committed: used })
    },
  )

  const finished = [delta({ content: 'a' }), delta({}, 'stop')]

  it.each<[string, Behaviour]>([
    ['no [DONE] follows', (response) => sendStream(response, finished)],
    ['the connection is interrupted', cutAfter(finished)],
    ['an invalid event follows', (response) => sendStream(response, [...finished, 'x{', '[DONE]'])],
    [
      'an error follows',
      (response) => sendStream(response, [...finished, { error: { message: 'overloaded' } }]),
    ],
  ])('an answer with its finish reason is complete, even if %s', async (_, behaviour) => {
    on.upstream.serve(model, behaviour)
    on.upstream.serve(sibling, says('never'))
    const { events } = await readStream(await stream())
    expect(events.map(({ event }) => event)).not.toContain('error')
    expect(textOf(events)).toBe('a')
    expect(events.at(-1)?.data).toBe('[DONE]')
    expect(await eventsOf(on.table, caller.user)).toEqual([
      expect.objectContaining({ model, success: true }),
    ])
  })

  it('exceeds the timeout as long as data arrives', async () => {
    on.upstream.serve(model, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = [...'slowly!'].map(
        (content) => `data: ${JSON.stringify(delta({ content }))}\n\n`,
      )
      for (const event of [...events, 'data: [DONE]\n\n']) {
        response.write(event)
        let steps = 60
        await passTime(() => steps-- > 0, stepMs)
      }
      response.end()
    })
    const { events } = await readStream(await stream())
    expect(textOf(events)).toBe('slowly!')
    expect(events.at(-1)?.data).toBe('[DONE]')
  })

  it('rejects an event without an end', async () => {
    on.upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', flood)
      }
      flood()
    })
    on.upstream.serve(sibling, says('instead', usage(1, 1)))
    expect(textOf((await readStream(await stream())).events)).toBe('instead')
  })
})
