import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '#tests/support/clock/eventually.ts'
import { respondThen } from '../respond-then.ts'
import { sentRequest } from '../sent-request.ts'
import { requestHandler } from './handler.ts'
import { serviceHandler } from './serve.ts'
import { startServer } from './server.ts'

type Fetch = (request: Request, env: unknown) => Response | Promise<Response>

async function serving(fetch: Fetch, more: { maxUnderWay?: number; timeoutSeconds?: number } = {}) {
  const faults: unknown[] = []
  const onFault = (error: unknown) => faults.push(error)
  const handler = requestHandler({
    app: { fetch },
    timeoutSeconds: 60,
    maxUnderWay: 100,
    onFault,
    ...more,
  })
  const server = await startServer(handler, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => void (await server.drain(0)))
  return { handler, server, faults, url: `http://127.0.0.1:${server.port}` }
}

/** A connection that sends raw bytes. */
async function rawTo(port: number) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return { socket, text: () => text }
}

it('a request arrives unchanged, and its connection’s address is the caller’s', async () => {
  const { url } = await serving(async (request, env) =>
    Response.json({
      env,
      method: request.method,
      path: new URL(request.url).pathname + new URL(request.url).search,
      sent: sentRequest(request).target,
      name: request.headers.get('x-name'),
      hop: request.headers.get('connection'),
      text: await request.text(),
    }),
  )
  const answer = await fetch(`${url}/a/%62?q=%20+`, {
    method: 'PUT',
    body: '\uFEFFhellö',
    headers: { 'x-name': 'n', 'x-forwarded-for': '203.0.113.9' },
  })
  expect(await answer.json()).toEqual({
    env: { requestContext: { http: { sourceIp: '127.0.0.1' } }, lambdaContext: {} },
    method: 'PUT',
    path: '/a/%62?q=%20+',
    sent: '/a/%62?q=%20+',
    name: 'n',
    hop: null,
    text: 'hellö',
  })
})

it('a chunked body without a length is a stream that can be counted', async () => {
  const { url } = await serving(async (request) => {
    expect(request.headers.get('transfer-encoding')).toBe('chunked')
    const again = new Request(request, { body: request.body, duplex: 'half' } as RequestInit)
    return new Response((await again.arrayBuffer()).byteLength.toString())
  })
  const body = new Blob(['x'.repeat(100_000)]).stream()
  const answer = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)
  expect(await answer.text()).toBe('100000')
})

it('an invalid target is rejected, and only the path of an absolute target is used', async () => {
  const { server } = await serving((request) => new Response(request.url))
  const odd = await rawTo(server.port)
  odd.socket.write('OPTIONS * HTTP/1.1\r\nhost: a.example\r\n\r\n')
  await eventually(() => expect(odd.text()).toMatch(/^HTTP\/1.1 400 .*"Bad request"/s))
  const whole = await rawTo(server.port)
  whole.socket.write('GET http://b.example/p?q HTTP/1.1\r\nhost: a.example\r\n\r\n')
  await eventually(() => expect(whole.text()).toContain('https://a.example/p?q'))
})

it('work after a response with a length does not block the connection, and a drain waits for it', async () => {
  const following = Promise.withResolvers<void>()
  const { handler, server, url } = await serving(() =>
    respondThen({ ok: true }, () => following.promise),
  )
  const raw = await rawTo(server.port)
  raw.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await eventually(() => expect(raw.text()).toContain('{"ok":true}'))
  raw.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await eventually(() => expect(raw.text().match(/\{"ok":true\}/g)).toHaveLength(2))
  expect(handler.underWay).toBe(2)
  const drained = server.drain(60_000)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  following.resolve()
  expect(await drained).toEqual({ cut: 0, lost: 0 })
})

it('a caller that disconnects cancels the response’s source', async () => {
  const cancelled = Promise.withResolvers<void>()
  const { handler, url } = await serving(
    ({ signal }) =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel: () => cancelled.resolve(signal.aborted ? undefined : Promise.reject(new Error())),
        }),
      ),
  )
  const gone = new AbortController()
  const answer = await fetch(url, { signal: gone.signal })
  await answer.body?.getReader().read()
  gone.abort()
  await cancelled.promise
  await eventually(() => expect(handler.underWay).toBe(0))
})

it('an interrupted response is cut off, and logged', async () => {
  const begun = Promise.withResolvers<void>()
  const body = async function* () {
    yield new Uint8Array(1)
    await begun.promise
    throw new Error('broken')
  }
  const { faults, url } = await serving(() => new Response(ReadableStream.from(body())))
  const answer = await fetch(url)
  begun.resolve()
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
  await eventually(() => expect(faults).toEqual([expect.objectContaining({ message: 'broken' })]))
})

it('a response whose caller disconnected is followed by its work', async () => {
  const done: string[] = []
  const { handler, url } = await serving(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    const left = async () => void done.push('left')
    return respondThen({ ok: true }, async () => void done.push('then'), { left })
  })
  const gone = new AbortController()
  const answer = fetch(url, { signal: gone.signal })
  await eventually(() => expect(handler.underWay).toBe(1))
  gone.abort()
  await expect(answer).rejects.toThrow('aborted')
  await eventually(() => expect(handler.underWay).toBe(0))
  expect(done).toEqual(['left'])
})

it('work after a response that is too late to be sent is done', async () => {
  let followed = false
  const { handler, url } = await serving(
    async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return respondThen({ ok: true }, async () => void (followed = true))
    },
    { timeoutSeconds: 0.05 },
  )
  expect((await fetch(url)).status).toBe(504)
  await eventually(() => expect(handler.underWay).toBe(0))
  expect(followed).toBe(true)
})

it('requests above the limit are rejected with a Retry-After', async () => {
  const held = Promise.withResolvers<Response>()
  const { handler, url } = await serving(() => held.promise, { maxUnderWay: 1 })
  const first = fetch(url)
  await eventually(() => expect(handler.underWay).toBe(1))
  const second = await fetch(url)
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
  held.resolve(new Response('done'))
  expect(await (await first).text()).toBe('done')
})

it('a container accepts at most as many requests as fit into its memory', async () => {
  const held = Promise.withResolvers<void>()
  const app = { fetch: () => held.promise.then(() => new Response('done')) }
  const handler = serviceHandler(app, { timeoutSeconds: 60, memoryMb: 2 })
  const server = await startServer(handler, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => void (await server.drain(0)))
  const url = `http://127.0.0.1:${server.port}`
  const pending = [fetch(url), fetch(url)]
  await eventually(() => expect(handler.underWay).toBe(2))
  expect((await fetch(url)).status).toBe(503)
  held.resolve()
  expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([200, 200])
})
