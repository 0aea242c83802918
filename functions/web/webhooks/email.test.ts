import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inboundEmailRows } from '#shared/tools/inbound-webhooks/rows.ts'
import {
  allowed,
  emailFrom,
  type InboundWebhooks,
  signEmail,
  startInboundWebhooks,
} from '#tests/support/tools/inbound-webhooks.ts'

let hooks: InboundWebhooks

beforeAll(async () => {
  hooks = await startInboundWebhooks()
})
afterAll(() => hooks.close())

const newEventId = () => `msg_${randomUUID()}`
const answered = (action: string) => [200, { received: true, action }]

async function kept(eventId: string) {
  const item = await hooks.table.get(inboundEmailRows.key({ eventId }))
  return item && inboundEmailRows.parse(item)
}

describe('POST /api/webhooks/email', () => {
  it('processes an email of the list, and stores its metadata without its text', async () => {
    const id = newEventId()
    const body = emailFrom(`Ada <${allowed}>`, { text: 'A secret', subject: 'Friday?' })
    expect(await hooks.email(body, signEmail(body, id))).toEqual(answered('processed'))
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string
    expect(await kept(id)).toEqual({
      eventId: id,
      action: 'processed',
      at,
      sender: allowed,
      subject: 'Friday?',
    })
    expect(
      JSON.stringify(await hooks.table.get(inboundEmailRows.key({ eventId: id }))),
    ).not.toMatch(/secret/)
  })

  it('accepts Svix’s header names too, but no mixture', async () => {
    const id = newEventId()
    const body = emailFrom('eve@evil.com')
    const signed = signEmail(body, id)
    expect(await hooks.email(body, signed, 'svix')).toEqual(answered('rejected'))
    const mixed = {
      'svix-id': id,
      'webhook-timestamp': signed.timestamp,
      'webhook-signature': signed.signatures,
    }
    expect((await hooks.post('/api/webhooks/email', body, mixed))[0]).toBe(401)
  })

  it.each([
    ['a name', `Ada <${allowed}>`],
    ['a quoted name', `"Lovelace, Ada <x@y.z>" <${allowed}>`],
    ['a name that contains another address', `eve@evil.com <${allowed}>`],
    ['capitals', 'ADA@Example.COM'],
    ['an object', { name: 'Ada', email: allowed }],
    ['another object', { address: allowed }],
  ])('identifies the sender by the address: %s', async (_, from) => {
    // Its own table, because these tests together send more than ten emails from one sender.
    const fresh = await startInboundWebhooks()
    try {
      expect(await fresh.send(newEventId(), emailFrom(from))).toEqual(answered('processed'))
    } finally {
      await fresh.close()
    }
  })

  it.each([
    ['an unknown sender', 'eve@evil.com'],
    ['an unknown sender with a listed name', `${allowed} <eve@evil.com>`],
    ['an unknown sender with a quoted listed name', `"Ada <${allowed}>" <eve@evil.com>`],
    ['one of two', `eve@evil.com, <${allowed}>`],
    ['two in brackets', `<eve@evil.com> <${allowed}>`],
    ['another line', `eve@evil.com\r\n<${allowed}>`],
    ['an unclosed quote', `"eve@evil.com <${allowed}>`],
    ['look-alike letters', 'ada@exam\u212Ale.com'],
    ['a longer domain', `${allowed}.evil.com`],
    ['a longer local part', `not-${allowed}`],
    ['nothing', ''],
    ['nobody', undefined],
    ['a number', 7],
    ['many', [allowed]],
    ['an object of an object', { email: { email: allowed } }],
    ['more than an address', `${'a'.repeat(300)}@example.com`],
    ['a long text', `${'"'.repeat(500)}${'<'.repeat(400)}`],
  ])('rejects %s, and stores only its arrival', async (_, from) => {
    const id = newEventId()
    const more = { __proto__: { from: allowed } }
    expect(await hooks.send(id, emailFrom(from, more))).toEqual(answered('rejected'))
    expect(await kept(id)).toEqual({ eventId: id, action: 'rejected', at: expect.any(String) })
  })

  it('accepts no sender from a prototype', async () => {
    const text = `{"__proto__":{"from":"${allowed}"},"data":{"__proto__":{"from":"${allowed}"}}}`
    expect(await hooks.send(newEventId(), text)).toEqual(answered('rejected'))
  })

  it('rejects everything without a list', async () => {
    const fresh = await startInboundWebhooks()
    fresh.services.allowedSenders.length = 0
    try {
      expect(await fresh.send(newEventId())).toEqual(answered('rejected'))
    } finally {
      await fresh.close()
    }
  })

  it('returns the first result for a repeated event, even after a change of the list', async () => {
    const fresh = await startInboundWebhooks()
    const [first, second] = [newEventId(), newEventId()]
    const stranger = emailFrom('eve@evil.com')
    try {
      expect(await fresh.send(first)).toEqual(answered('processed'))
      expect(await fresh.send(second, stranger)).toEqual(answered('rejected'))
      fresh.services.allowedSenders.splice(0, 2, 'eve@evil.com')
      expect(await fresh.send(first)).toEqual(answered('processed'))
      expect(await fresh.send(second, stranger)).toEqual(answered('rejected'))
      expect(await fresh.send(newEventId(), stranger)).toEqual(answered('processed'))
    } finally {
      await fresh.close()
    }
  })

  it.each([
    ['another secret', { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }],
    ['six minutes ago', { at: -360_000 }],
    ['in six minutes', { at: 360_000 }],
    ['another body', { body: emailFrom(allowed, { subject: 'Other' }) }],
    ['another id', { change: { id: 'msg_other' } }],
    ['another time', { change: { timestamp: String(Math.floor(Date.now() / 1000) + 120) } }],
    ['an invalid time', { change: { timestamp: 'now' } }],
    ['no time', { change: { timestamp: '' } }],
    ['no signature', { change: { signatures: '' } }],
    ['a signature of another version', { version: 'v2' }],
    ['a truncated signature', { cut: 1 }],
    ['a signature with a suffix', { cut: -1 }],
  ])('rejects a signature by %s', async (_, how) => {
    const input = { secret: undefined, at: 0, change: {}, version: 'v1', cut: 0, ...how }
    const [id, text] = [newEventId(), emailFrom(allowed)]
    const signed = signEmail(text, id, Date.now() + input.at, input.secret)
    const signature = signed.signatures.replace('v1', input.version)
    const cut = input.cut > 0 ? signature.slice(0, -input.cut) : signature + 'A'.repeat(-input.cut)
    const body = 'body' in input ? input.body : text
    const answer = await hooks.email(body, { ...signed, signatures: cut, ...input.change })
    expect(answer).toEqual([401, { error: 'The signature is not valid' }])
    expect(await kept(id)).toBeUndefined()
  })

  it('accepts one valid signature of several, as during a rotation of the secret', async () => {
    const [id, text] = [newEventId(), emailFrom('eve@evil.com')]
    const { signatures, ...rest } = signEmail(text, id)
    const other = `v1,${Buffer.alloc(32).toString('base64')}`
    const several = { ...rest, signatures: `${other} v1a,x ${signatures} v1` }
    expect(await hooks.email(text, several)).toEqual(answered('rejected'))
    expect((await hooks.email(text, { ...rest, signatures: `${other} ${other}` }))[0]).toBe(401)
  })

  it.each(['', 'no JSON', '[]', 'null', '7', '"text"'])(
    'rejects the signed body %j, which is not an event',
    async (text) => {
      const id = newEventId()
      expect((await hooks.send(id, text))[0]).toBe(400)
      expect(await kept(id)).toBeUndefined()
    },
  )

  it.each(['a'.repeat(256), 'a b', 'é'])('rejects the id %j', async (id) => {
    const text = emailFrom(allowed)
    expect((await hooks.email(text, signEmail(text, id)))[0]).toBe(400)
  })

  it('is not configured without its secret', async () => {
    const fresh = await startInboundWebhooks({})
    try {
      const [status, body] = await fresh.send(newEventId())
      expect([status, body]).toEqual([
        503,
        {
          error: 'The receiver of emails is not configured',
          missing: ['EMAIL_WEBHOOK_SECRET'],
        },
      ])
    } finally {
      await fresh.close()
    }
  })
})
