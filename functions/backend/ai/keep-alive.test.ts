import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventsOf, hello, quotaOf, useGateway } from '#tests/support/ai/gateway.ts'
import { model, readStream, textOf } from '#tests/support/ai/streams.ts'
import {
  type Behaviour,
  delta,
  fails,
  says,
  sendStream,
  usage,
} from '#tests/support/ai/upstream.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { passTime } from '#tests/support/clock/time.ts'
import { readMetrics } from '#tests/support/platform/metric-format.ts'

vi.hoisted(() => vi.stubEnv('PLATFORM_STAGE', 'production'))

const sibling = 'openai/gpt-4o-mini'

// A queue client would wait by the test's fake clock.
const settlements = { send: () => Promise.resolve(), sendAll: () => Promise.resolve() }
const on = useGateway({ timeoutMs: 30_000, settlements })

let users = 0
let user = ''
beforeEach(() => {
  user = `usr_alive${users++}`
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  onTestFinished(() => void vi.useRealTimers())
})

const ask = (body: object, signal?: AbortSignal) =>
  on.gateway.chat(
    { ...hello, model, ...body },
    { headers: { 'x-user-id': user }, ...(signal && { signal }) },
  )

/** Sends `bytes` every ten seconds, for 50 seconds. */
async function keepAlive(response: ServerResponse, bytes: string) {
  for (let sent = 0; sent < 5; sent++) {
    response.write(bytes)
    let seconds = 10
    await passTime(() => seconds-- > 0 && !response.destroyed, 1000)
  }
}

/** A provider that sends keep-alives, and what `then` does after them. */
function slowly(bytes: string, then: Behaviour): Behaviour {
  return async (response, asked) => {
    const stream = asked.body.stream === true
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    response.writeHead = () => response
    await keepAlive(response, bytes)
    await then(response, asked)
  }
}

const hangsUp: Behaviour = (response) => void response.destroy()

/** The number of keep-alives before the first other byte. */
const before = (text: string, sign: string) =>
  (new RegExp(`^(${sign})*`).exec(text)?.[0].length ?? 0) / sign.length

const comment = ': still here\n\n'

describe('while a provider sends only keep-alives', () => {
  it.each([
    ['comments', ': keep-alive\n\n'],
    ['blank lines', '\n'],
    ['events without content', 'data: \n\n'],
    ['events without choices', 'data: {"choices":[]}\n\n'],
  ])('the caller of a stream gets comments: %s', async (_, bytes) => {
    on.upstream.serve(model, slowly(bytes, says('at last', usage(2, 2))))
    const response = await ask({ stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    expect(before(text, comment)).toBeGreaterThanOrEqual(3)
    const { events } = await readStream(new Response(text))
    expect(textOf(events)).toBe('at last')
    expect(events.at(-1)?.data).toBe('[DONE]')
    expect(await eventsOf(on.table, user)).toMatchObject([{ outputTokens: 2, success: true }])
  })

  it.each([
    ['blank lines', '\n', says('at last', usage(2, 2))],
    ['spaces', ' ', says('at last', usage(2, 2))],
    [
      'comments of an unrequested stream',
      ': keep-alive\n\n',
      ((response) =>
        says('at last', usage(2, 2))(response, { body: { stream: true } } as never)) as Behaviour,
    ],
  ])('the caller of a whole answer gets white space before it: %s', async (_, bytes, then) => {
    on.upstream.serve(model, slowly(bytes, then))
    const response = await ask({})
    expect(response.headers.get('content-type')).toBe('application/json')
    const text = await response.text()
    expect(before(text, '\n')).toBeGreaterThanOrEqual(3)
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: 'at last' } }] })
    expect(await eventsOf(on.table, user)).toMatchObject([{ outputTokens: 2, success: true }])
  })

  it('while a provider sends only keep-alives in the middle of a stream, the caller gets comments', async () => {
    on.upstream.serve(model, async (response) => {
      await sendStream(response, [delta({ content: 'first' })], { end: false })
      await keepAlive(response, ': keep-alive\n\n')
      response.end(`data: ${JSON.stringify(delta({ content: '!' }, 'stop'))}\n\ndata: [DONE]\n\n`)
    })
    const text = await (await ask({ stream: true })).text()
    expect(text.split(comment).length - 1).toBeGreaterThanOrEqual(2)
    expect(text).toMatch(/^data: .*first/)
    expect(textOf((await readStream(new Response(text))).events)).toBe('first!')
  })
})

describe('after keep-alives', () => {
  it.each([true, false])(
    'the next model answers if the first disconnects, stream: %s',
    async (stream) => {
      on.upstream.serve(model, slowly('\n', hangsUp))
      on.upstream.serve(sibling, says('instead', usage(3, 3)))
      const response = await ask({ stream })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(before(text, stream ? comment : '\n')).toBeGreaterThanOrEqual(1)
      expect(text).toContain(`"model":"${sibling}"`)
      expect(await eventsOf(on.table, user)).toMatchObject([{ model: sibling, success: true }])
    },
  )

  it.each<[string, Behaviour, object]>([
    [
      'no model answers',
      hangsUp,
      {
        type: 'api_error',
        code: 'AI_UNAVAILABLE',
        attempts: expect.arrayContaining([
          expect.objectContaining({ model: sibling, status: 500 }),
        ]),
      },
    ],
    [
      'the request is invalid',
      (response) => void response.end(JSON.stringify({ error: { message: 'no', code: 400 } })),
      { code: 'UPSTREAM_REJECTED' },
    ],
  ])('an error is the last event, or the body: %s', async (_, then, error) => {
    for (const stream of [true, false]) {
      on.upstream.serve(model, slowly('\n', then))
      on.upstream.serve(sibling, fails(500))
      const text = await (await ask({ stream })).text()
      const written = stream ? text.split('event: error\ndata: ')[1] : text
      expect(JSON.parse(written ?? '')).toEqual({ error: expect.objectContaining(error) })
      expect(text).not.toContain('[DONE]')
    }
    const reservation = await quotaOf(on.table, user)
    expect(reservation?.committed).toBe(reservation?.used ?? 0)
  })

  it('an error is a failed response in a stream of Responses', async () => {
    on.upstream.serve(model, slowly('\n', hangsUp))
    on.upstream.serve(sibling, fails(500))
    const response = await on.gateway.responses(
      { model, input: 'hello', stream: true },
      { headers: { 'x-user-id': user } },
    )
    const { events } = await readStream(response)
    expect(events).toMatchObject([{ event: 'response.failed' }])
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({
      type: 'response.failed',
      sequence_number: 0,
      response: {
        object: 'response',
        status: 'failed',
        model,
        output: [],
        error: { code: 'AI_UNAVAILABLE', message: expect.any(String) },
      },
    })
  })

  it('an error counts as a late failure, because its status is 200', async () => {
    const lines: Record<string, unknown>[] = []
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
    vi.spyOn(console, 'log').mockImplementation(write)
    onTestFinished(() => void vi.restoreAllMocks())
    on.upstream.serve(model, slowly('\n', hangsUp))
    on.upstream.serve(sibling, fails(500))
    await (await ask({})).text()
    const late = lines.filter((line) => 'AiLateFailures' in line)
    expect(late).toMatchObject([{ level: 'warn', code: 'AI_UNAVAILABLE' }])
    expect(readMetrics(late[0] ?? {})).toMatchObject({
      dimensions: [{ function: expect.any(String) }],
      figures: { AiLateFailures: 1 },
    })
  })

  it('a model that sends no byte for the timeout counts as a timeout of its provider', async () => {
    const lines: Record<string, unknown>[] = []
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
    vi.spyOn(console, 'log').mockImplementation(write)
    onTestFinished(() => void vi.restoreAllMocks())
    for (const stream of [true, false]) {
      on.upstream.serve(model, (response) => passTime(() => !response.destroyed, 1000))
      on.upstream.serve(sibling, says('instead', usage(3, 3)))
      expect(await (await ask({ stream })).text()).toContain(`"model":"${sibling}"`)
    }
    on.upstream.serve(model, fails(500))
    await (await ask({})).text()
    const failed = lines.filter((line) => line['message'] === 'a model did not answer')
    const silent = { model, provider: 'router', status: null, reason: expect.stringMatching(/30/) }
    expect(failed).toMatchObject([silent, silent, { status: 500 }])
    const counted = failed.map((line) => readMetrics(line))
    expect(counted.map(({ figures }) => figures)).toEqual([
      { AiModelFailures: 1, AiModelTimeouts: 1 },
      { AiModelFailures: 1, AiModelTimeouts: 1 },
      { AiModelFailures: 1, AiModelTimeouts: 0 },
    ])
    expect(counted[0]?.dimensions).toEqual([
      { function: expect.any(String) },
      { provider: 'router' },
    ])
  })

  it('an error of /api/ai/chat has the format of that route', async () => {
    on.upstream.serve(model, slowly('\n', hangsUp))
    const response = await on.gateway.aiChat(
      { ...hello, model },
      { headers: { 'x-user-id': user } },
    )
    expect(await response.json()).toMatchObject({
      success: false,
      error: 'No model could answer',
      code: 'AI_UNAVAILABLE',
    })
  })

  it.each(['by its connection', 'by its body'])(
    'a caller that disconnects %s is settled once, and no further model is asked',
    async (way) => {
      on.upstream.serve(model, async (response, asked) => {
        await slowly(': keep-alive\n\n', () => passTime(() => !response.destroyed, 1000))(
          response,
          asked,
        )
      })
      on.upstream.serve(sibling, says('never'))
      const gone = new AbortController()
      const response = await ask({ stream: true }, gone.signal)
      const reader = response.body?.getReader()
      await reader?.read()
      const cancelled = way === 'by its body' ? reader?.cancel() : gone.abort()
      await on.upstream.asked[0]?.abandoned
      await cancelled
      await eventually(async () =>
        expect(await eventsOf(on.table, user)).toMatchObject([{ model, success: false }]),
      )
      expect(on.upstream.asked).toHaveLength(1)
    },
  )
})
