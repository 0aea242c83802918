import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { useBrokerScene } from '#tests/support/tools/broker-with-host.ts'

const value = 'a-value-of-hers-0123456789'
const on = useBrokerScene(value)

describe('a request', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'is forwarded by %s with the credential, and its response is returned',
    async (method) => {
      on.answer = async (request, response) => {
        let body = ''
        for await (const chunk of request) body += String(chunk)
        response.writeHead(207, { 'x-kind': 'test', 'set-cookie': ['a=1', 'b=2'] })
        response.end(`${request.method} ${request.url} ${body}`)
      }
      const body = method === 'GET' ? undefined : 'some text'
      const brokerResponse = await on.ask(`/api/${on.host}/a/b?c=d&c=%20e`, {
        method,
        ...(body && { body }),
      })
      expect(brokerResponse.status).toBe(207)
      expect(brokerResponse.headers.get('x-kind')).toBe('test')
      expect(brokerResponse.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      expect(await brokerResponse.text()).toBe(`${method} /a/b?c=d&c=%20e ${body ?? ''}`)
      expect(on.seen[0]?.headers.authorization).toBe(`Bearer ${value}`)
    },
  )

  it('a response to HEAD has the length of the omitted body', async () => {
    on.answer = (_, response) => response.writeHead(200, { 'content-length': '1234' }).end()
    const brokerResponse = await on.ask(`/api/${on.host}/`, { method: 'HEAD' })
    expect([
      brokerResponse.status,
      brokerResponse.headers.get('content-length'),
      await brokerResponse.text(),
    ]).toEqual([200, '1234', ''])
    expect(on.seen[0]?.method).toBe('HEAD')
    expect(await on.requests()).toMatchObject([{ method: 'HEAD', status: 200, bytes: 0 }])
  })

  it.each([204, 304])('has a response without a body by status %i', async (status) => {
    on.answer = (_, response) => response.writeHead(status, { etag: '"x"' }).end()
    const brokerResponse = await on.ask(`/api/${on.host}/`)
    expect([brokerResponse.status, brokerResponse.headers.get('etag')]).toEqual([status, '"x"'])
    expect(await on.requests()).toMatchObject([{ status, bytes: 0 }])
  })

  it('drops the caller’s own headers and connection headers', async () => {
    await (
      await on.ask(`/api/${on.host}/`, {
        method: 'POST',
        headers: {
          cookie: 'service-session=x',
          connection: 'x-private, keep-alive',
          'x-private': 'yes',
          te: 'trailers',
          trailer: 'x-later',
          'proxy-authorization': 'Basic eDp5',
          'keep-alive': 'timeout=5',
          'x-forwarded-for': '10.0.0.1',
          'x-origin-secret': 'a secret of the edge',
          'x-viewer-address': '192.0.2.1',
          'x-viewer-proof': 'a proof of the address',
          'accept-encoding': 'gzip',
          accept: 'application/json',
          'content-type': 'text/plain',
          'x-own': 'one, two',
        },
        body: 'x',
      })
    ).text()
    const { host: _, ...headers } = on.seen[0]!.headers
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${value}`,
      connection: 'keep-alive',
      'content-length': '1',
      'content-type': 'text/plain',
      'x-own': 'one, two',
    })
    expect(on.seen[0]!.headers.host).toBe(on.host)
  })

  it('cannot set or remove the credential’s header', async () => {
    await on.broker.keep(on.user.session, on.agent.agentId, {
      name: 'keyed',
      hosts: [on.host],
      header: 'X-Api-Key: {value}',
      value,
    })
    const headers = { 'x-api-key': 'mine', connection: 'x-api-key' }
    await (await on.ask(`/keyed/${on.host}/`, { headers })).text()
    expect(on.seen[0]!.headers['x-api-key']).toBe(value)
    expect(on.seen[0]!.headers).not.toHaveProperty('authorization')
  })

  it('does not follow a redirect', async () => {
    on.answer = (_, response) =>
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
    const brokerResponse = await on.ask(`/api/${on.host}/from`, { redirect: 'manual' })
    expect([brokerResponse.status, brokerResponse.headers.get('location')]).toEqual([
      302,
      'https://elsewhere.example/',
    ])
    await brokerResponse.text()
    expect(on.seen).toHaveLength(1)
  })

  it('has no connection header in its response', async () => {
    on.answer = (_, response) =>
      response
        .writeHead(200, {
          connection: 'x-hop',
          'x-hop': '1',
          'proxy-authenticate': 'Basic',
          kept: '1',
        })
        .end()
    const brokerResponse = await on.ask(`/api/${on.host}/`)
    expect([...brokerResponse.headers.keys()]).toContain('kept')
    for (const name of ['connection', 'x-hop', 'proxy-authenticate', 'transfer-encoding'])
      expect([...brokerResponse.headers.keys()]).not.toContain(name)
    await brokerResponse.text()
  })

  it('streams in both directions: the response begins before the request body ends', async () => {
    on.answer = (request, response) => {
      response.writeHead(200)
      request.pipe(response)
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const big = new Uint8Array(100_000).fill(120)
    const pending = on.ask(`/api/${on.host}/`, {
      method: 'POST',
      body: readable,
      duplex: 'half',
    } as RequestInit)
    void writer.write(big)
    const brokerResponse = await pending
    const reader = brokerResponse.body!.getReader()
    let size = 0
    while (size < big.length) size += (await reader.read()).value?.length ?? 0
    void writer.write(new TextEncoder().encode('last'))
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('last')
    void writer.close()
    expect((await reader.read()).done).toBe(true)
    expect(on.seen[0]!.headers['transfer-encoding']).toBe('chunked')
    expect(await on.requests()).toMatchObject([{ status: 200, bytes: big.length + 4 }])
  })
})

describe('the value', () => {
  it('is removed from a host’s echo', async () => {
    on.answer = ({ headers }, response) => {
      const text = JSON.stringify(headers)
      response.writeHead(200, {
        'x-echo': headers.authorization,
        'content-length': String(text.length),
        'set-cookie': `key=${value}`,
      })
      response.end(text)
    }
    const brokerResponse = await on.ask(`/api/${on.host}/`)
    const stars = '*'.repeat(value.length)
    expect(brokerResponse.headers.get('x-echo')).toBe(`Bearer ${stars}`)
    expect(brokerResponse.headers.getSetCookie()).toEqual([`key=${stars}`])
    const text = await brokerResponse.text()
    expect(JSON.parse(text)).toMatchObject({ authorization: `Bearer ${stars}` })
    expect(String(text.length)).toBe(brokerResponse.headers.get('content-length'))
  })

  it('is removed if it is split over chunks', async () => {
    on.answer = async (_, response) => {
      for (const part of [
        `<${value.slice(0, 3)}`,
        value.slice(3, 9),
        `${value.slice(9)}>`,
        value,
      ]) {
        response.write(part)
        await new Promise(setImmediate)
      }
      response.end(value.slice(0, -1))
    }
    const stars = '*'.repeat(value.length)
    const brokerResponse = await on.ask(`/api/${on.host}/`)
    expect(await brokerResponse.text()).toBe(`<${stars}>${stars}${value.slice(0, -1)}`)
  })
})

it('uses a kept-alive connection', async () => {
  const sockets = new Set()
  on.answer = ({ socket }, response) => {
    sockets.add(socket)
    response.end('x')
  }
  for (let i = 0; i < 4; i++)
    await (await on.ask(`/api/${on.host}/`, { method: 'POST', body: 'small' })).text()
  expect(sockets.size).toBe(1)
  const [socket] = on.seen.map((request) => request.socket)
  socket!.destroy()
  await once(socket!, 'close')
  expect((await on.ask(`/api/${on.host}/`)).status).toBe(200)
})
