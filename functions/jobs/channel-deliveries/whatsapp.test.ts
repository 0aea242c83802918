import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newWamid, type PlayedWhatsApp, startWhatsApp } from '#tests/support/channels/whatsapp.ts'
import { useChannels } from '#tests/support/channels/world.ts'

let played: PlayedWhatsApp
beforeAll(async () => void (played = await startWhatsApp()))
afterAll(() => played.close())

const on = useChannels(() => ({ WHATSAPP_API_URL: played.url }))
const ada = '15550123'

beforeEach(async () => {
  played.open.add(ada)
  await on.create({ kind: 'whatsapp', ...played.fields })
  await on.introduce(ada, message())
  played.sent.length = 0
})

function message() {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const text = { body: 'Hi' }
  const messages = [{ from: ada, id: newWamid(), timestamp, type: 'text', text }]
  return played.signed(played.notification({ messages }))
}

async function answered(text: string) {
  on.answerWith(text)
  await on.post(message())
}

const report = (status: object) =>
  on.post(played.signed(played.notification({ statuses: [status] })))
const texts = () => played.sent.map(({ body }) => body.text?.body ?? '')
const newest = async () => (await on.delivered())[0]

describe('an answer to WhatsApp', () => {
  it('has the marks of WhatsApp', async () => {
    await answered(
      '## Plan\n\n**Bold**, *soft* and [the docs](https://a.example).\n\n1. one\n2. two',
    )
    expect(texts()).toEqual([
      '*Plan*\n\n*Bold*, _soft_ and the docs (https://a.example).\n\n1. one\n2. two',
    ])
  })

  it('that is long becomes messages in order, each within the limit', async () => {
    const words = Array.from({ length: 3000 }, (_, i) => `w${i}`)
    await answered(words.join(' '))
    expect(texts().length).toBeGreaterThan(2)
    expect(texts().every((text) => text.length <= 4096)).toBe(true)
    expect(texts().join(' ').split(' ')).toEqual(words)
  })

  it('after the 24 hours has failed, with the reason, and is not sent again', async () => {
    played.open.delete(ada)
    await answered('Late')
    expect(await newest()).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('131047, more than 24 hours'),
      attempts: 1,
    })
  })

  it.each<[string, { status: number; code?: number; retryAfter?: number }, number]>([
    ['a limit of the number', { status: 400, code: 130_429 }, 5],
    ['a limit of the pair', { status: 400, code: 131_056 }, 6],
    ['too many requests', { status: 429, retryAfter: 40 }, 40],
    ['an error of Meta', { status: 500, code: 131_000 }, 5],
    ['an error without a code', { status: 503 }, 5],
  ])('is sent again after %s', async (_, fault, seconds) => {
    const before = on.ahead()
    played.meets(fault)
    await answered('Again')
    expect(texts()).toEqual(['Again'])
    expect(await newest()).toMatchObject({ state: 'sent', attempts: 2 })
    expect(on.ahead() - before).toBeGreaterThanOrEqual(seconds - 1)
  })

  it('whose response is lost is not sent again, and has the state unknown', async () => {
    played.meets('lost')
    await answered('Once')
    expect(texts()).toEqual(['Once'])
    expect(await newest()).toMatchObject({ state: 'unknown' })
  })

  it('that WhatsApp accepts and then does not deliver has failed, with the reason', async () => {
    await answered('Late')
    const key = played.sent[0]?.body.biz_opaque_callback_data
    const status = { id: played.sent[0]?.id, recipient_id: ada, biz_opaque_callback_data: key }
    const errors = [{ code: 131_047, title: 'Re-engagement message' }]
    await report({ ...status, status: 'failed', errors })
    const reason = expect.stringContaining('more than 24 hours')
    expect(await newest()).toMatchObject({ state: 'failed', reason })
    await report({ ...status, status: 'sent' })
    expect(await newest()).toMatchObject({ state: 'failed', reason })
  })

  it('whose response is lost counts as sent once WhatsApp reports its delivery', async () => {
    played.meets('lost')
    await answered('Once')
    const key = played.sent[0]?.body.biz_opaque_callback_data
    await report({ status: 'delivered', biz_opaque_callback_data: 'of-another' })
    expect(await newest()).toMatchObject({ state: 'unknown' })
    await report({ status: 'delivered', biz_opaque_callback_data: key })
    expect(await newest()).toMatchObject({ state: 'sent', reason: null })
  })

  it('with an expired token has failed with what to do', async () => {
    played.meets({ status: 401, code: 190 })
    await answered('No')
    const reason = expect.stringContaining('set a new one')
    expect(await newest()).toMatchObject({ state: 'failed', reason })
  })
})
