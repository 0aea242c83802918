import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type PlayedWhatsApp, startWhatsApp } from '#tests/support/channels/whatsapp.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'

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

async function create(change: object = {}, settings: Record<string, string> = {}) {
  const given = { WHATSAPP_API_URL: played.url, WEB_URL: 'https://play.example', ...settings }
  const { session } = ada
  const body = { kind: 'whatsapp', ...played.fields, ...change }
  const created = channelsOver(accounts.table, given).call('POST', `${agentId}/channels`, {
    session,
    body,
  })
  return (await created) as unknown as { status: number; body: Answer }
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
        waiting: 0,
        createdAt: expect.any(String),
      },
    ])
  })

  it('needs a public https address, and names the setting', async () => {
    const { status, body } = await create({}, { WEB_URL: 'http://localhost:3000' })
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
    expect((await create({}, { WHATSAPP_API_URL: 'http://127.0.0.1:9' })).status).toBe(502)
  })
})
