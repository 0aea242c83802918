import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streamingEventRows } from '#shared/tools/inbound-webhooks/rows.ts'
import { signatureOf } from '#tests/support/billing/payment-provider.ts'
import {
  type InboundWebhooks,
  startInboundWebhooks,
  streamingSecret,
} from '#tests/support/tools/inbound-webhooks.ts'

let hooks: InboundWebhooks

beforeAll(async () => {
  hooks = await startInboundWebhooks()
})
afterAll(() => hooks.close())

const received = [200, { received: true }]
const now = () => Math.floor(Date.now() / 1000)

async function kept(eventId: string) {
  const item = await hooks.table.get(streamingEventRows.key({ eventId }))
  return item && streamingEventRows.parse(item)
}

describe('POST /api/webhooks/streaming', () => {
  it.each([
    ['type', 'object'],
    ['event', 'stream'],
    ['type', 'data'],
  ])('stores the type of an event (%s) and its stream (%s)', async (kind, place) => {
    const eventId = randomUUID()
    const event = { id: eventId, [kind]: 'stream.started', [place]: { id: 'str_1', key: 'secret' } }
    expect(await hooks.streaming(JSON.stringify(event))).toEqual(received)
    expect(await kept(eventId)).toEqual({
      eventId,
      type: 'stream.started',
      streamId: 'str_1',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('keeps the first version of a repeated event', async () => {
    const id = randomUUID()
    const send = (type: string) => hooks.streaming(JSON.stringify({ id, type }))
    await send('stream.started')
    const first = await kept(id)
    expect(await send('stream.ended')).toEqual(received)
    expect(await kept(id)).toEqual(first)
  })

  it('identifies an event without an id by its body', async () => {
    const body = JSON.stringify({ note: randomUUID(), __proto__: null })
    expect(await hooks.streaming(body)).toEqual(received)
    const eventId = createHash('sha256').update(body).digest('hex')
    expect(await kept(eventId)).toMatchObject({ eventId, type: null, streamId: null })
  })

  it.each([
    ['{"__proto__":{"type":"x","object":{"id":"y"}}}', { type: null, streamId: null }],
    ['{"type":7,"object":[{"id":"y"}]}', { type: null, streamId: null }],
    [`{"type":"${'t'.repeat(1_000)}"}`, { type: 't'.repeat(255), streamId: null }],
    ['{"type":"\\ud800\\u0000"}', { type: '\ufffd\u0000', streamId: null }],
  ])('stores of %s only its own short strings', async (body, facts) => {
    expect(await hooks.streaming(body)).toEqual(received)
    expect(await kept(createHash('sha256').update(body).digest('hex'))).toMatchObject(facts)
  })

  it('accepts one valid signature of several', async () => {
    const body = JSON.stringify({ id: randomUUID() })
    const [time, good] = signatureOf(streamingSecret, body).split(',')
    const signature = `${time}, v1=${'0'.repeat(64)}, ${good}, v0=x`
    expect(await hooks.streaming(body, signature)).toEqual(received)
  })

  it.each<[string, (body: string) => string]>([
    ['another secret', (body) => signatureOf('other', body)],
    ['six minutes ago', (body) => signatureOf(streamingSecret, body, now() - 360)],
    ['in six minutes', (body) => signatureOf(streamingSecret, body, now() + 360)],
    ['another body', (body) => signatureOf(streamingSecret, `${body} `)],
    ['no time', (body) => signatureOf(streamingSecret, body).replace(/^t=\d+,/, '')],
    ['another time', (body) => signatureOf(streamingSecret, body).replace('t=', 't=1')],
    ['more than a digest', (body) => `${signatureOf(streamingSecret, body)}00`],
    ['half a digest', (body) => signatureOf(streamingSecret, body).slice(0, -32)],
    ['another version', (body) => signatureOf(streamingSecret, body).replace('v1', 'v0')],
    ['nothing', () => ''],
    ['noise', () => '=,=,t=,v1=,\t'],
  ])('rejects a signature by %s', async (_, sign) => {
    const id = randomUUID()
    const body = JSON.stringify({ id })
    const refused = [401, { error: 'The signature is not valid' }]
    expect(await hooks.streaming(body, sign(body))).toEqual(refused)
    expect(await kept(id)).toBeUndefined()
  })

  it.each(['', 'no JSON', '[]', 'null', '{"id":'])('rejects the signed body %j', async (body) => {
    expect((await hooks.streaming(body))[0]).toBe(400)
  })

  it('is not configured without its secret', async () => {
    const fresh = await startInboundWebhooks({})
    try {
      const missing = ['STREAMING_WEBHOOK_SECRET']
      const error = 'The receiver of streaming events is not configured'
      expect(await fresh.streaming('{}')).toEqual([503, { error, missing }])
    } finally {
      await fresh.close()
    }
  })
})
