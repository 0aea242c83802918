import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createApp } from '../app.ts'
import { routesWith } from '../route.ts'
import { bufferHandler } from './buffer.ts'

const route = routesWith<object>()({
  name: 'things.get',
  method: 'GET',
  path: '/api/thing',
  summary: 'A thing',
  tag: 'agents',
  guard: 'none',
  response: z.object({ ok: z.boolean() }),
  errors: [],
  handle: () => ({ ok: true }),
})

const handler = bufferHandler(
  createApp({ surface: 'web', name: 'things', routes: [route], services: {}, settings: {} }),
)

function eventOf(method: string, body?: string, domainName = 'things.example') {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body?.length ?? 0),
  }
  return {
    version: '2.0',
    rawPath: '/api/thing',
    rawQueryString: '',
    headers,
    requestContext: { domainName, http: { method, path: '/api/thing', sourceIp: '192.0.2.1' } },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2
}

describe('a GET that carries a body', () => {
  it.each(['{}', '{"broken', 'x'.repeat(1_100_000)])(
    'gets the same response as a GET without a body',
    async (body) => {
      const answer = await handler(eventOf('GET', body))
      expect([answer.statusCode, answer.body]).toEqual([200, '{"ok":true}'])
      expect(answer.headers).toMatchObject({ 'x-request-id': expect.stringMatching(/^req_/) })
    },
  )

  it('gets the same response for HEAD', async () => {
    expect(await handler(eventOf('HEAD', '{}'))).toMatchObject({ statusCode: 200, body: '' })
  })
})

it('a DELETE with a body is rejected like one without a body', async () => {
  for (const body of [undefined, '{"broken'])
    expect(await handler(eventOf('DELETE', body))).toMatchObject({
      statusCode: 405,
      headers: { allow: 'GET' },
    })
})

it('an invalid request is rejected as JSON, with an id', async () => {
  for (const event of [eventOf('TRACE'), eventOf('GET', undefined, 'no host')]) {
    const answer = await handler(event)
    expect([answer.statusCode, JSON.parse(String(answer.body))]).toEqual([
      400,
      { error: 'Bad request' },
    ])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': expect.stringMatching(/^req_/),
    })
  }
})

it('a header without a value is present, unlike a missing one', async () => {
  const handle = bufferHandler(
    new Hono().get('/api/thing', (context) => {
      context.header('x-request-id', 'req_1')
      return context.json([context.req.header('x-user-id') ?? null])
    }),
  )
  const told = async (headers: Record<string, string>) => {
    const event = eventOf('GET')
    return (await handle({ ...event, headers: { ...event.headers, ...headers } })).body
  }
  expect(await told({ 'x-user-id': '' })).toBe('[""]')
  expect(await told({ 'x-user-id': 'usr_1' })).toBe('["usr_1"]')
  expect(await told({})).toBe('[null]')
})
