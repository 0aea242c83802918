import { createContext, runInContext } from 'node:vm'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { clientAddress } from '#shared/http/client-address.ts'
import { declared, secretValue } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'

const stack = declared()

type Headers = Record<string, { value: string }>

/** Returns the headers that CloudFront sends to the origin for a viewer's request. */
function throughEdge(ip: string, sent: Headers): Record<string, string> {
  const { code } = stack.one('aws:cloudfront/function:Function', 'ViewerAddress')
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
  const event = {
    version: '1.0',
    context: { eventType: 'viewer-request', requestId: 'id-of-the-edge' },
    viewer: { ip },
    request: { method: 'POST', uri: '/api/chat', querystring: {}, cookies: {}, headers: sent },
  }
  const context = createContext({ event })
  const { headers } = runInContext(`${String(code)}; handler(event)`, context) as {
    headers: Headers
  }
  const forwarded = Object.entries(headers).map(([name, { value }]) => [name, value] as const)
  return { ...Object.fromEntries(forwarded), 'x-origin-secret': secretValue('ORIGIN_SECRET') }
}

async function addressOf(headers: Record<string, string>): Promise<string> {
  const app = new Hono().get('/', async (context) =>
    context.text(await clientAddress(context, secretValue('ORIGIN_SECRET'))),
  )
  const edge = { requestContext: { http: { sourceIp: '198.51.100.1' } } }
  return (await app.request('/', { headers }, edge)).text()
}

describe('the viewer’s address', () => {
  test.each(['192.0.2.1', '2001:db8::1'])('reaches a function through the edge: %s', async (ip) => {
    expect(await addressOf(throughEdge(ip, {}))).toBe(ip)
  })

  test('is the connection’s, whatever the viewer sends', async () => {
    const spoofed = {
      'x-viewer-ip': { value: '203.0.113.9' },
      'x-viewer-ip-proof': { value: 'a guess' },
      'x-origin-secret': { value: 'a guess' },
      'cloudfront-viewer-address': { value: '203.0.113.9:443' },
      'x-forwarded-for': { value: '203.0.113.9' },
    }
    expect(await addressOf(throughEdge('192.0.2.1', spoofed))).toBe('192.0.2.1')
  })

  test('is not the one that a viewer sends through an edge location without the function yet', async () => {
    const sent = { 'x-viewer-ip': '203.0.113.9', 'x-viewer-ip-proof': 'a guess' }
    const added = { 'x-origin-secret': secretValue('ORIGIN_SECRET') }
    expect(await addressOf({ ...sent, ...added })).toBe('198.51.100.1')
  })

  test('is set on each path of the APIs, and on no other', () => {
    const arn = expect.stringMatching(/ViewerAddress$/)
    const edges = stack.all('aws:cloudfront/distribution:Distribution')
    for (const { defaultCacheBehavior, orderedCacheBehaviors } of edges.values()) {
      const behaviours = [defaultCacheBehavior as Inputs, ...(orderedCacheBehaviors as Inputs[])]
      const set = [{ eventType: 'viewer-request', functionArn: arn }]
      for (const { targetOriginId, functionAssociations } of behaviours)
        if (targetOriginId === 'console') expect(functionAssociations).not.toContainEqual(set[0])
        else expect(functionAssociations).toEqual(set)
    }
  })
})
