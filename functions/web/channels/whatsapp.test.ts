import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { channelsOver, type ServiceAddresses } from '#tests/support/channels/services.ts'
import { type PlayedWhatsApp, startWhatsApp } from '#tests/support/channels/whatsapp.ts'

let accounts: Keys
let played: PlayedWhatsApp
let ada: { id: string; session: string }
let agentId: string
let users = 0

interface Answer {
  id: string
  error: string
}

beforeAll(async () => void ([accounts, played] = await Promise.all([startKeys(), startWhatsApp()])))
afterAll(() => Promise.all([accounts.close(), played.close()]))
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agentId = (await putAgent(accounts.table, ada.id)).id
})

async function create(change: object = {}, addresses: ServiceAddresses = { whatsapp: played.url }) {
  const call = channelsOver(accounts.table, addresses)
  const body = { kind: 'whatsapp', ...played.fields, ...change }
  const path = `/api/agents/${agentId}/channels`
  const answer = await call('POST', path, { session: ada.session, body })
  return { status: answer.status, body: (await answer.json()) as Answer }
}

describe('a channel of WhatsApp', () => {
  it('is created for its number, and shows no secret', async () => {
    const { status, body } = await create()
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^chn_/),
        kind: 'whatsapp',
        settings: {
          phoneNumberId: played.fields.phoneNumberId,
          number: '+1 555 0100',
          name: 'Played',
        },
        receiveUrl: `https://play.example/in/whatsapp/${body.id}`,
        createdAt: expect.any(String),
      },
    ])
  })

  it('needs a public https address, and names the setting', async () => {
    const addresses = { whatsapp: played.url, web: 'http://localhost:3000' }
    const { status, body } = await create({}, addresses)
    expect([status, body.error]).toEqual([400, expect.stringContaining('WEB_URL')])
  })

  it.each<[string, string]>([
    ['accessToken', 'EAAanothertokenthatisnotvalid'],
    ['appSecret', '0123456789abcdef0123456789abcdef'],
    ['phoneNumberId', '123456789'],
    ['verifyToken', 'short'],
  ])('is refused with a wrong %s, which is named', async (field, value) => {
    const { status, body } = await create({ [field]: value })
    expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    expect(body.error).not.toContain(value)
  })

  it('is not created while WhatsApp is away', async () => {
    expect((await create({}, { whatsapp: 'http://127.0.0.1:9' })).status).toBe(502)
  })
})
