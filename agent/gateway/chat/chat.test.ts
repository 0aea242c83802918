import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GatewayProcess, Home, apiKey, pieces } from '../testing/gateway.ts'
import {
  Upstream,
  beginStream,
  endStream,
  flush,
  say,
  sayChunk,
  sendEvent,
  sendJson,
} from '../testing/upstream.ts'

let home: Home
let upstream: Upstream
let gateway: GatewayProcess

const question = { messages: [{ role: 'user', content: 'How are you?' }] }

beforeAll(async () => {
  home = await Home.make()
  upstream = await Upstream.start()
  gateway = await GatewayProcess.start(
    home.environment(upstream.baseUrl, { SYSTEM_PROMPT: 'Be brief.' }),
  )
})

/** Starts a gateway with a short timeout for a silent AI gateway. */
const startImpatient = () =>
  GatewayProcess.start(home.environment(upstream.baseUrl, { AI_TIMEOUT_MS: '500' }))

beforeEach(() => {
  upstream.calls.length = 0
  upstream.reply = (response) => say(response, 'Fine, thanks.')
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe('a chat request', () => {
  test('reaches the AI gateway with the agent’s own key, instructions and request id', async () => {
    const response = await gateway.chat(
      { ...question, temperature: 0.2 },
      { headers: { 'x-request-id': 'req_9' } },
    )
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Fine, thanks.' } }],
      usage: { total_tokens: 7 },
    })
    expect(upstream.lastCall.path).toBe('/v1/chat/completions')
    expect(upstream.lastCall.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'x-request-id': 'req_9',
    })
    expect(upstream.lastCall.body).toEqual({
      temperature: 0.2,
      messages: [{ role: 'system', content: 'Be brief.' }, ...question.messages],
    })
  })

  test.each([
    [undefined, undefined, undefined],
    ['vendor/asked', undefined, 'vendor/asked'],
    ['vendor/asked', 'vendor/own', 'vendor/asked'],
    [undefined, 'vendor/own', 'vendor/own'],
    ['openclaw', 'vendor/own', 'vendor/own'],
    ['openclaw/default', undefined, undefined],
  ])(
    'a chat request with model %s of an agent with %s requests the model %s',
    async (asked, own, sent) => {
      const more = own === undefined ? {} : { AI_MODEL: own }
      await using other = await GatewayProcess.start(home.environment(upstream.baseUrl, more))
      await other.chat({ ...question, model: asked })
      expect(upstream.lastCall.body.model).toBe(sent)
    },
  )

  test.each([
    [{ user: 'topic ü' }, 'topic%20%C3%BC'],
    [{}, undefined],
  ])(
    'a chat request with %o names the session %s in each call of a model',
    async (fields, named) => {
      await gateway.chat({ ...question, ...fields })
      expect(upstream.lastCall.headers['x-session-id']).toBe(named)
    },
  )

  test('lists the AI gateway’s models', async () => {
    upstream.reply = (response) => sendJson(response, 200, { object: 'list', data: [{ id: 'm' }] })
    expect(await gateway.json('/v1/models')).toEqual({ object: 'list', data: [{ id: 'm' }] })
    expect(upstream.lastCall.path).toBe('/v1/models')
    expect(upstream.lastCall.headers.authorization).toBe(`Bearer ${apiKey}`)
  })
})

describe('a stream', () => {
  test('is forwarded chunk by chunk as it arrives, with usage and [DONE] at its end', async () => {
    const next = Promise.withResolvers<void>()
    const last = Promise.withResolvers<void>()
    upstream.reply = async (response) => {
      beginStream(response)
      response.write(': keep-alive\n\n')
      sayChunk(response, 'Fine, ')
      await next.promise
      sayChunk(response, 'thanks.')
      await last.promise
      endStream(response)
    }
    const response = await gateway.chat({ ...question, stream: true })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(upstream.lastCall.body).toMatchObject({ stream: true })

    // The upstream continues only after the client has received the previous piece.
    const reader = pieces(response)
    let seen = ''
    const read = async (text: string): Promise<void> => {
      while (!seen.includes(text)) seen += (await reader.next()).value ?? ''
    }
    await read('Fine, ')
    next.resolve()
    await read('thanks.')
    last.resolve()
    await read('[DONE]')
    expect(seen).toContain(': keep-alive')
    expect(seen).toMatch(/"total_tokens":7\}\}\n\ndata: \[DONE\]\n\n$/)
    expect((await reader.next()).done).toBe(true)
  })

  test('is ended by the AI gateway, which may still be settling the call', async () => {
    const settled = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<boolean>()
    upstream.reply = async (response) => {
      response.once('close', () => closed.resolve(response.writableFinished))
      beginStream(response)
      sayChunk(response, 'Fine')
      response.write('data: [DONE]\n\n')
      await settled.promise
      response.end()
    }
    const reader = pieces(await gateway.chat({ ...question, stream: true }))
    for (let seen = ''; !seen.includes('[DONE]');) seen += (await reader.next()).value ?? ''
    // After a second round trip, a wrong close would have arrived.
    await gateway.json('/sessions')
    settled.resolve()
    expect(await closed.promise).toBe(true)
    expect((await reader.next()).done).toBe(true)
  })

  test('a stream that is interrupted ends with an error event and no [DONE]', async () => {
    upstream.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'Fine')
      await flush(response, 'data: {"choices":[{"delta":{"con')
      response.destroy()
    }
    const text = await (await gateway.chat({ ...question, stream: true })).text()
    expect(text).toContain('Fine')
    expect(text).toMatch(/event: error\ndata: (.*)\n\n$/)
    const error = JSON.parse(/event: error\ndata: (.*)/.exec(text)?.[1] ?? '') as unknown
    expect(error).toEqual({
      error: {
        message: expect.any(String),
        type: 'upstream_error',
        code: 'upstream_cut',
        param: null,
      },
    })
    expect(text).not.toContain('[DONE]')
  })

  test('a stream that ends without [DONE] counts as interrupted', async () => {
    upstream.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'Fine')
      response.end()
    }
    const text = await (await gateway.chat({ ...question, stream: true })).text()
    expect(text).toContain('"code":"upstream_cut"')
    expect(text).not.toContain('[DONE]')
  })

  test('a stream without data ends with a timeout error', async () => {
    upstream.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'Fine')
    }
    await using impatient = await startImpatient()
    const text = await (await impatient.chat({ ...question, stream: true })).text()
    expect(text).toContain('"code":"upstream_timeout"')
    expect(text).not.toContain('[DONE]')
  })

  test('forwards the AI gateway’s own error event once', async () => {
    upstream.reply = (response) => {
      beginStream(response)
      response.write('event: error\n')
      sendEvent(response, {
        error: { message: 'out', type: 't', code: 'AI_UNAVAILABLE', param: null },
      })
      response.end()
    }
    const text = await (await gateway.chat({ ...question, stream: true })).text()
    expect(text.match(/event: error/g)).toHaveLength(1)
    expect(text).toContain('AI_UNAVAILABLE')
  })

  test('is cancelled upstream when its reader disconnects', async () => {
    const cancelled = Promise.withResolvers<boolean>()
    upstream.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'Fine')
      await once(response, 'close')
      cancelled.resolve(!response.writableEnded)
    }
    const abort = new AbortController()
    // The gateway's own timeout for a silent AI gateway is far longer than this test.
    const response = await gateway.chat({ ...question, stream: true }, { signal: abort.signal })
    await pieces(response).next()
    abort.abort()
    expect(await cancelled.promise).toBe(true)
  })
})

describe('a failure of the AI gateway', () => {
  const quota = {
    error: { message: 'Used up', type: 'quota', code: 'QUOTA_EXCEEDED', param: null, limit: 5 },
  }

  test.each([true, false])('reaches the caller unchanged (stream: %s)', async (stream) => {
    upstream.reply = (response) => {
      response.setHeader('retry-after', '60')
      response.setHeader('set-cookie', 'a=b')
      sendJson(response, 429, quota)
    }
    const response = await gateway.chat({ ...question, stream })
    expect([response.status, await response.json()]).toEqual([429, quota])
    expect(response.headers.get('retry-after')).toBe('60')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    [500, 500],
    [403, 403],
    [302, 502],
  ])(
    '%i without an error body becomes an error in OpenAI’s format with the status %i',
    async (status, answered) => {
      upstream.reply = (response) => {
        response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>')
      }
      const response = await gateway.chat(question)
      expect(response.status).toBe(answered)
      expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } })
    },
  )

  test('a timeout of the AI gateway returns 504', async () => {
    upstream.reply = () => {}
    await using impatient = await startImpatient()
    const response = await impatient.chat(question)
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({
      error: { type: 'timeout_error', code: 'upstream_timeout' },
    })
  })

  test('a refused connection to the AI gateway returns 502', async () => {
    await using other = await GatewayProcess.start(home.environment('http://127.0.0.1:1/v1'))
    const response = await other.chat(question)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } })
    expect((await other.fetch('/v1/models')).status).toBe(502)
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200)
  })

  test('a failure of the AI gateway in the middle of a response returns 502', async () => {
    upstream.reply = async (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
      await flush(response, '{"choices":')
      response.destroy()
    }
    const response = await gateway.chat(question)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_cut' } })
  })
})
