import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newWamid, type PlayedWhatsApp, startWhatsApp } from '#tests/support/channels/whatsapp.ts'
import { useChannels } from '#tests/support/channels/world.ts'

let played: PlayedWhatsApp
beforeAll(async () => void (played = await startWhatsApp()))
afterAll(() => played.close())

const on = useChannels(() => ({ WHATSAPP_API_URL: played.url }))
const ada = '15550123'

beforeEach(async () => {
  played.open.clear()
  played.open.add(ada)
  await on.create({ kind: 'whatsapp', ...played.fields })
  await on.introduce(ada, played.signed(played.notification(said({}))))
  played.sent.length = 0
})

/** The change of a message: of Ada, with a text, unless it says otherwise. */
function said(change: object) {
  const message = {
    from: ada,
    id: newWamid(),
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body: 'Hi' },
    ...change,
  }
  return { contacts: [{ profile: { name: 'Ada' }, wa_id: ada }], messages: [message] }
}

const deliver = (value: Record<string, unknown>, number?: string) =>
  on.post(played.signed(played.notification(value, number)))
const sent = () => played.sent.map(({ body }) => [body.to ?? body.recipient, body.text?.body])

describe('a channel of WhatsApp', () => {
  it('answers a message once, however often it is delivered, and shows that it works', async () => {
    const value = said({ text: { body: 'How are you?' } })
    for (let time = 0; time < 3; time++) expect((await deliver(value)).status).toBe(200)
    expect(on.asked()).toEqual(['How are you?'])
    expect(await on.sessions()).toContain(`whatsapp:${ada}`)
    expect(sent()).toEqual([[ada, 'Well.']])
    expect((await on.delivered())[0]).toMatchObject({ state: 'sent' })
  })

  it('answers each message of a notification, and is not hidden by one of a new type', async () => {
    const [{ messages, contacts }, { messages: more }] = [said({}), said({ text: { body: 'Two' } })]
    await deliver({ contacts, messages: [...messages, { type: 'hologram' }, ...more] })
    expect(on.asked()).toEqual(['Hi', 'Two'])
  })

  it.each<[string, object, string]>([
    ['a button', { type: 'button', text: undefined, button: { text: 'Yes' } }, 'Yes'],
    [
      'a choice of a list',
      { type: 'interactive', text: undefined, interactive: { list_reply: { title: 'Two' } } },
      'Two',
    ],
    [
      'a place',
      { type: 'location', text: undefined, location: { latitude: 52.5, longitude: 13.4 } },
      '52.5, 13.4',
    ],
  ])('reads %s as text', async (_, change, text) => {
    await deliver(said(change))
    expect(on.asked()).toEqual([text])
  })

  it('answers in a group, and a person whose number is hidden', async () => {
    played.open.add('GROUP1').add('US.1349')
    await deliver(said({ group_id: 'GROUP1' }))
    await deliver(said({ from: undefined, from_user_id: 'US.1349' }))
    await on.decide('US.1349')
    await deliver(said({ from: undefined, from_user_id: 'US.1349' }))
    expect(sent().map(([to]) => to)).toEqual(['GROUP1', 'US.1349', 'US.1349'])
    expect(played.sent[0]?.body.recipient_type).toBe('group')
  })

  it('ignores statuses, reactions and messages of other numbers of the app', async () => {
    await deliver({ statuses: [{ id: newWamid(), status: 'delivered', recipient_id: ada }] })
    await deliver(said({ type: 'reaction', text: undefined, reaction: { emoji: '👍' } }))
    await deliver(said({}), '999999999')
    expect([on.asked(), played.sent]).toEqual([[], []])
  })

  it('ignores a message that is older than the ids it remembers', async () => {
    const timestamp = String(Math.floor(Date.now() / 1000) - 31 * 86_400)
    expect((await deliver(said({ timestamp }))).status).toBe(200)
    expect(on.asked()).toEqual([])
  })
})

describe('a request to a channel of WhatsApp', () => {
  it('that sets the callback URL gets its challenge only with the verify token', async () => {
    const { verifyToken } = played.fields
    const asked = (token: string, mode = 'subscribe') =>
      on.get({ 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': '1158201444' })
    const answer = await asked(verifyToken)
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444'])
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect((await asked('another token')).status).toBe(401)
    expect((await asked('')).status).toBe(401)
    expect((await asked(verifyToken, 'unsubscribe')).status).toBe(401)
  })

  it.each<[string, (body: unknown) => { headers: Record<string, string>; body: string }]>([
    ['another secret', (body) => played.signed(body, 'f'.repeat(32))],
    ['an empty secret', (body) => played.signed(body, '')],
    ['the verify token', (body) => played.signed(body, played.fields.verifyToken)],
    [
      'another body',
      (body) => ({ ...played.signed(body), body: JSON.stringify({ ...(body as object), x: 1 }) }),
    ],
    ['no signature', (body) => ({ headers: {}, body: JSON.stringify(body) })],
  ])('signed with %s is refused, and reaches nobody', async (_, make) => {
    const { status } = await on.post(make(played.notification(said({}))))
    expect(status).toBe(401)
    expect([on.asked(), played.sent]).toEqual([[], []])
  })

  it('of 10 MB is refused', async () => {
    const large = said({ text: { body: 'x'.repeat(10_000_000) } })
    expect((await deliver(large)).status).toBe(413)
  })

  it.each(['', 'null', '{"object":"page","entry":[]}', '{"object":"whatsapp_business_account"}'])(
    'with the content %j is accepted without effect',
    async (body) => {
      expect((await on.post(played.signed(body))).status).toBe(200)
      expect(on.asked()).toEqual([])
    },
  )
})
