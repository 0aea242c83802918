import type { APIGatewayProxyEvent } from 'aws-lambda'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventRequest } from './event-request.ts'

const { signal } = new AbortController()

function eventOf(fields: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  return {
    httpMethod: 'POST',
    path: '/api/things',
    multiValueHeaders: { 'content-type': ['application/json'], Accept: ['a/b', 'c/d'] },
    multiValueQueryStringParameters: { q: ['a b', '&'], n: ['1'] },
    requestContext: { domainName: 'api.example.com' },
    body: '{"a":"ä"}',
    isBase64Encoded: false,
    ...fields,
  } as APIGatewayProxyEvent
}

const requestOf = (fields?: Partial<APIGatewayProxyEvent>) => eventRequest(eventOf(fields), signal)

describe('an event as a Request', () => {
  it('has the same content as a Request', () => {
    const request = requestOf()
    expect(request).toBeInstanceOf(Request)
    expect(request.method).toBe('POST')
    expect(request.url).toBe('https://api.example.com/api/things?q=a+b&q=%26&n=1')
    expect(request.headers.get('accept')).toBe('a/b, c/d')
    expect(request.signal).toBe(signal)
    expect(request.redirect).toBe('follow')
  })

  it('accepts encoded header characters above a byte', () => {
    const { headers } = requestOf({
      multiValueHeaders: { 'user-agent': ['Zoë'], 'X-Name': ['José, 王 🥁 \ud800'] },
    })
    expect(headers.get('user-agent')).toBe('Zoë')
    expect(headers.get('x-name')).toBe('Jos%C3%A9,%20%E7%8E%8B%20%F0%9F%A5%81%20%EF%BF%BD')
  })

  it('is read once, as text or as JSON', async () => {
    const request = requestOf()
    expect(request.bodyUsed).toBe(false)
    expect(await request.json()).toEqual({ a: 'ä' })
    expect(request.bodyUsed).toBe(true)
    await expect(request.text()).rejects.toThrow(TypeError)
    expect(() => request.body).toThrow(TypeError)
  })

  it('supports every other format of the body, too', async () => {
    const bytes = Buffer.from('{"a":"ä"}')
    expect(Buffer.from(await requestOf().arrayBuffer())).toEqual(bytes)
    expect(await requestOf().clone().text()).toBe(bytes.toString())
    const read: Uint8Array[] = []
    for await (const chunk of requestOf().body ?? []) read.push(chunk)
    expect(Buffer.concat(read)).toEqual(bytes)
    const cloned = requestOf()
    await cloned.clone().text()
    expect(await cloned.text()).toBe(bytes.toString())
    expect(cloned.bodyUsed).toBe(true)
  })

  it('has a length, even if its body was sent without a length', () => {
    expect(requestOf().headers.get('content-length')).toBe('10')
    const chunked = requestOf({ multiValueHeaders: { 'Transfer-Encoding': ['chunked'] } }).headers
    expect(chunked.get('content-length')).toBe('10')
    expect(chunked.has('transfer-encoding')).toBe(false)
    expect(requestOf({ body: null }).headers.has('content-length')).toBe(false)
  })

  it('has no body if the event has no body', async () => {
    expect(requestOf({ body: null }).body).toBeNull()
    expect(await requestOf({ body: null }).text()).toBe('')
    expect(await requestOf({ httpMethod: 'GET' }).text()).toBe('')
  })

  it('has the same text as a Request with the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.boolean(), async (bytes, marked) => {
        const body = Buffer.concat([Buffer.from(marked ? [0xef, 0xbb, 0xbf] : []), bytes])
        const plain = new Request('https://a.co', { method: 'POST', body })
        const event = { body: body.toString('base64'), isBase64Encoded: true }
        expect(await requestOf(event).text()).toBe(await plain.text())
      }),
    )
  })
})
