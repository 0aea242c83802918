import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { clientAddress, edgeAddressProof, viewerHeaders } from './client-address.ts'

const secret = 'the secret of the origin'
const app = new Hono().get('/', async (context) =>
  context.text(await clientAddress(context, context.req.query('off') ? undefined : secret)),
)

/** Returns the headers that the edge adds to a request of this viewer. */
const byEdge = async (ip: string, by = secret) => ({
  'x-viewer-ip': ip,
  'x-viewer-ip-proof': await edgeAddressProof(by),
  'x-origin-secret': by,
})

async function address(headers: Record<string, string>, path = '/') {
  const bindings = { requestContext: { http: { sourceIp: '198.51.100.1' } } }
  return (await app.request(path, { headers }, bindings)).text()
}

describe('a client address that a function forwards', () => {
  it('is accepted with its proof, also behind the edge', async () => {
    const named = await viewerHeaders('203.0.113.7', secret)
    expect(await address(named)).toBe('203.0.113.7')
    const edge = await byEdge('192.0.2.1')
    expect(await address({ ...edge, ...named })).toBe('203.0.113.7')
    expect(await address(edge)).toBe('192.0.2.1')
  })

  it('is ignored without a proof, with another’s proof, and with the secret itself', async () => {
    const named = await viewerHeaders('203.0.113.7', secret)
    for (const wrong of [
      { 'x-viewer-address': '203.0.113.7' },
      { ...named, 'x-viewer-address': '203.0.113.8' },
      { ...named, 'x-viewer-proof': secret },
      { ...named, 'x-viewer-proof': '' },
      await viewerHeaders('203.0.113.7', 'another secret'),
    ])
      expect(await address(wrong)).toBe('198.51.100.1')
    expect(await address(named, '/?off=1')).toBe('198.51.100.1')
    expect(await viewerHeaders('203.0.113.7', undefined)).toEqual({})
  })
})

describe('the viewer address of the edge', () => {
  it.each(['192.0.2.1', '2001:db8::1'])(
    'is accepted with the secret and the proof of the edge: %s',
    async (ip) => {
      expect(await address(await byEdge(ip))).toBe(ip)
    },
  )

  it('is ignored without the secret, with another secret, and in a header that the edge does not set', async () => {
    const proven = await byEdge('192.0.2.1')
    const { 'x-origin-secret': _, ...direct } = proven
    for (const wrong of [
      direct,
      { ...direct, 'x-origin-secret': 'another secret' },
      await byEdge('192.0.2.1', 'another secret'),
      { 'cloudfront-viewer-address': '192.0.2.1:443', 'x-origin-secret': secret },
    ])
      expect(await address(wrong)).toBe('198.51.100.1')
    expect(await address(proven, '/?off=1')).toBe('198.51.100.1')
  })

  it('is ignored if the viewer sent it, through an edge that does not write it yet', async () => {
    const sent = { 'x-viewer-ip': '192.0.2.1', 'x-origin-secret': secret }
    for (const guess of [undefined, '', secret, await edgeAddressProof('a guess')])
      expect(
        await address({ ...sent, ...(guess !== undefined && { 'x-viewer-ip-proof': guess }) }),
      ).toBe('198.51.100.1')
  })
})
