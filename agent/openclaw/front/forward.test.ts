import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { pieces, token } from '../../gateway/testing/gateway.ts'
import { bearer, useFront } from '../testing/front.ts'

const on = useFront()

describe('a request for OpenClaw itself', () => {
  test('is forwarded with its token, without connection headers and origin', async () => {
    on.answers = (_, response) => {
      response.writeHead(418, { 'x-said': 'yes', connection: 'x-private', 'x-private': 'no' })
      response.end('short')
    }
    const headers = {
      ...bearer,
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
      'platform-lease': 'a.b',
      'x-openclaw-session-key': 'kept',
    }
    const answer = await fetch(`${on.url}/tools/invoke?a=b`, { headers })
    expect([answer.status, await answer.text()]).toEqual([418, 'short'])
    expect([answer.headers.get('x-said'), answer.headers.get('x-private')]).toEqual(['yes', null])
    expect(on.asked[0]?.path).toBe('/tools/invoke?a=b')
    expect(on.asked[0]?.headers).toMatchObject({ ...bearer, 'x-openclaw-session-key': 'kept' })
    expect(on.asked[0]?.headers.host).toMatch(/^127\.0\.0\.1:\d+$/)
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'platform-lease'])
      expect(on.asked[0]?.headers).not.toHaveProperty(name)
  })

  test('gets its response unchanged, and the response is read to its end', async () => {
    const more = Promise.withResolvers<void>()
    on.answers = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: one\n\n')
      await more.promise
      response.end('data: two\n\n')
    }
    const answer = await on.ask('/v1/chat/completions', { method: 'POST', body: '{}' })
    const text = pieces(answer)
    expect((await text.next()).value).toBe('data: one\n\n')
    more.resolve()
    expect((await text.next()).value).toBe('data: two\n\n')
    expect((await text.next()).done).toBe(true)
  })

  test('forwards a whole body', async () => {
    on.answers = (incoming, response) => void incoming.pipe(response)
    const body = 'é'.repeat(500_000)
    expect(await (await on.ask('/v1/responses', { method: 'POST', body })).text()).toBe(body)
  })

  test('is cancelled at OpenClaw if its caller disconnects before a response', async () => {
    const left = Promise.withResolvers<void>()
    const came = Promise.withResolvers<void>()
    on.answers = (_, response) => {
      came.resolve()
      response.once('close', () => left.resolve())
    }
    const caller = get(`${on.url}/slow`, { headers: bearer }).on('error', () => {})
    await came.promise
    caller.destroy()
    await expect(left.promise).resolves.toBeUndefined()
  })

  test('is cancelled at OpenClaw if its caller disconnects during a response', async () => {
    const left = Promise.withResolvers<void>()
    on.answers = (_, response) => {
      response.write('a')
      response.once('close', () => left.resolve())
    }
    const caller = get(`${on.url}/slow`, { headers: bearer })
    const [answer] = (await once(caller, 'response')) as [IncomingMessage]
    answer.once('error', () => {})
    caller.destroy()
    await expect(left.promise).resolves.toBeUndefined()
  })

  test('a request for OpenClaw itself that OpenClaw interrupts is interrupted for its caller, too', async () => {
    on.answers = (_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('half', () => response.socket?.destroy())
    }
    await expect(on.ask('/half').then((answer) => answer.text())).rejects.toThrow('terminated')
    on.answers = (_, response) => void response.socket?.destroy()
    const broken = await on.ask('/none')
    expect([broken.status, await broken.json()]).toMatchObject([
      502,
      { error: { code: 'runtime_failed' } },
    ])
  })

  test('waits until OpenClaw listens', async () => {
    await on.stopRuntime()
    const answer = await on.ask('/v1/models')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ error: { code: 'starting' } })
  })

  test.each([
    ['/v1/models', {}],
    ['/stats', {}],
    ['/memory', { authorization: 'Bearer wrong-token-0123456789' }],
    ['/skills', { authorization: token }],
    ['/sessions', { authorization: `Basic ${token}` }],
    ['//healthz', {}],
    ['/healthz/', {}],
    ['/readyz/../v1/models', {}],
    ['/health%7a', {}],
  ])('%s is rejected with %o', async (path, headers) => {
    const { hostname, port } = new URL(on.url)
    // A raw request, because fetch would normalize the path.
    const asking = request({ hostname, port, path, headers: { ...headers } }).end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(401)
    expect(on.asked).toEqual([])
  })
})
