import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { type RunningSurface, startSurface } from './surface.ts'

const functions = [
  fixture('items', 'http', { kind: 'http', surface: 'web', prefixes: ['/api/items'] }),
  fixture('deep', 'http', { kind: 'http', surface: 'web', prefixes: ['/api/items/deep', '/'] }),
  fixture('rest', 'http', { kind: 'http', surface: 'web', prefixes: ['$default'] }),
]

let harness: Harness
let surface: RunningSurface
const failures: string[] = []

beforeAll(async () => {
  harness = await startHarness(functions, ({ name }) => ({ NAME: name }))
  const onFailure = (name: string) => failures.push(name)
  surface = await startSurface({
    surface: 'web',
    functions,
    host: harness.host,
    port: 0,
    onFailure,
  })
})
afterAll(async () => {
  await surface.close(0)
  await harness[Symbol.asyncDispose]()
})

const get = (path: string, init?: RequestInit) => fetch(surface.url + path, init)

async function eventOf(path: string, init?: RequestInit): Promise<APIGatewayProxyEventV2> {
  const answer = (await (await get(path, init)).json()) as { event: APIGatewayProxyEventV2 }
  return answer.event
}

/** Sends raw bytes and reads until the server closes the connection. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(surface.port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

describe('the event', () => {
  test('contains the route, the path and the query as API Gateway does', async () => {
    const event = await eventOf('/api/items/a%20b/event?x=1&y=&x=2%263')
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'ANY /api/items/{proxy+}',
      rawPath: '/api/items/a%20b/event',
      rawQueryString: 'x=1&y=&x=2%263',
      queryStringParameters: { x: '1,2&3', y: '' },
      pathParameters: { proxy: 'a%20b/event' },
      requestContext: {
        stage: '$default',
        routeKey: 'ANY /api/items/{proxy+}',
        http: { method: 'GET', path: '/api/items/a%20b/event', protocol: 'HTTP/1.1' },
      },
    })
    expect(event.requestContext.time).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/)
    expect(event).not.toHaveProperty('body')
    expect(event).not.toHaveProperty('cookies')
  })

  test('contains the connection’s address, not the client’s claim', async () => {
    const event = await eventOf('/api/items/event', { headers: { 'x-forwarded-for': '6.6.6.6' } })
    expect(event.requestContext.http.sourceIp).toBe('127.0.0.1')
    expect(event.headers['x-forwarded-for']).toBe('6.6.6.6, 127.0.0.1')
  })

  test('carries cookies in their own field and repeated headers as one', async () => {
    const answer = await raw(
      'GET /api/items/event HTTP/1.1\r\nHost: a.test\r\nX-Many: 1\r\nx-many: 2\r\n' +
        'Cookie: a=1; b="2; 3"\r\nCookie: c=4\r\nConnection: close\r\n\r\n',
    )
    const { event } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as {
      event: APIGatewayProxyEventV2
    }
    expect(event.cookies).toEqual(['a=1', 'b="2', '3"', 'c=4'])
    expect(event.headers).toMatchObject({ 'x-many': '1,2' })
    expect(event.headers).not.toHaveProperty('cookie')
    expect(event.headers).not.toHaveProperty('connection')
    expect(event.requestContext.domainName).toBe('a.test')
  })

  test.each(['evil/x?', '[::1]:99999', '1.2.3.999'])(
    'does not let the Host header %s into the functions’ URL',
    async (host) => {
      const answer = await raw(
        `GET /api/items/event HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toContain('"domainName":"localhost"')
    },
  )

  test.each([
    ['application/json', '{"ü":1}', false],
    ['application/problem+json; charset=utf-8', '{}', false],
    ['text/plain', 'hi', false],
    ['application/x-www-form-urlencoded', 'a=1', true],
    ['image/png', 'bytes', true],
  ])('has a body of %s in base64: %o', async (type, body, isBase64Encoded) => {
    const event = await eventOf('/api/items/event', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(event.isBase64Encoded).toBe(isBase64Encoded)
    const encoded = isBase64Encoded ? Buffer.from(body).toString('base64') : body
    expect(event.body).toBe(encoded)
  })

  test('keeps bytes that are not UTF-8, of any type', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x80, 0x0a])
    const answer = await get('/api/items/binary', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: bytes,
    })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  })
})

describe('routes', () => {
  test.each([
    ['/api/items', 'items'],
    ['/api/items/1', 'items'],
    ['/api/items/deep', 'deep'],
    ['/api/items/deep/er', 'deep'],
    ['/api/itemsX', 'rest'],
    ['/', 'deep'],
    ['/none', 'rest'],
    ['//api/items', 'rest'],
  ])('%s goes to %s', async (path, name) => {
    const answer = await get(`${path}/environment`.replace(/^\/\/environment/, '/'))
    const served = (await answer.json()) as { NAME?: string; other?: string }
    if (path === '/') expect(served.other).toBe('/')
    else expect(served.NAME).toBe(name)
  })

  test('a surface without a default returns 404 itself', async () => {
    const bare = await startSurface({
      surface: 'web',
      functions: functions.slice(0, 1),
      host: harness.host,
      port: 0,
      onFailure() {},
    })
    const answer = await fetch(`${bare.url}/none`)
    expect([answer.status, await answer.json()]).toEqual([404, { message: 'Not Found' }])
    await bare.close(0)
  })
})

describe('the answer', () => {
  test('has every header and cookie', async () => {
    const answer = await get('/api/items/cookies')
    expect(answer.status).toBe(201)
    expect(answer.headers.getSetCookie()).toEqual(['first=1; Path=/', 'second=2'])
    expect(answer.headers.get('x-many')).toBe('b, c')
    expect(answer.headers.get('content-length')).toBe('3')
  })

  test('the answer of a result without a status is its JSON', async () => {
    const answer = await get('/api/items/bare')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({ bare: true })
  })

  test('an answer to HEAD has the length of its body and no body; a 204 has no length', async () => {
    const head = await get('/api/items/cookies', { method: 'HEAD' })
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['3', ''])
    const none = await get('/api/items/none', { method: 'OPTIONS' })
    expect([none.status, none.headers.get('content-length')]).toEqual([204, null])
  })

  test.each(['throw', 'exit', 'bad-header'])(
    'is 500 after %s, and the next request succeeds',
    async (what) => {
      const answer = await get(`/${what}`)
      expect([answer.status, await answer.json()]).toEqual([
        500,
        { message: 'Internal Server Error' },
      ])
      expect(failures.at(-1)).toBe('rest')
      expect((await get('/event')).status).toBe(200)
    },
  )

  test('is 500 when the function times out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const late = get('/loop')
    await until('it to loop', () => harness.lines.values('looping').length > 0)
    vi.advanceTimersByTime(60_000)
    expect((await late).status).toBe(500)
    expect((await get('/event')).status).toBe(200)
  })

  test.each([true, false])(
    'a body over 10 MB returns 413, with a declared length: %o',
    async (declared) => {
      const body = Buffer.alloc(10 * 1024 * 1024 + 1, 'x')
      const chunks = async function* () {
        yield body
      }
      const answer = await get('/api/items/event', {
        method: 'POST',
        body: declared ? body : (chunks() as never),
        ...(!declared && { duplex: 'half' }),
      })
      expect(answer.status).toBe(413)
      expect(await answer.json()).toEqual({ error: 'The request body is too large' })
    },
  )

  test('keeps its connection open', async () => {
    const answer = await raw(
      'GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    )
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })
})

test('closing finishes a current request and accepts no new one', async () => {
  const closing = await startSurface({
    surface: 'web',
    functions,
    host: harness.host,
    port: 0,
    onFailure() {},
  })
  const slow = fetch(`${closing.url}/api/items/slow?ms=300`)
  await until('it to be under way', () => harness.lines.values('slow').length > 0)
  // An idle keep-alive connection.
  const other = httpRequest(`${closing.url}/api/items/event`).end()
  await new Promise((resolve) =>
    other.once('response', (message) => message.resume().once('end', resolve)),
  )
  const cut = 60_000
  const began = Date.now()
  const closed = closing.close(cut)
  await expect(fetch(`${closing.url}/api/items/event`)).rejects.toThrow('fetch failed')
  expect(await (await slow).json()).toEqual({ slow: true })
  await closed
  expect(Date.now() - began).toBeLessThan(cut / 2)
})
