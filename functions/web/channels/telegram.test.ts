import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '#shared/platform/log.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../channels.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let telegram: Awaited<ReturnType<typeof startTelegram>>

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  telegram = await startTelegram()
})
afterAll(async () => {
  telegram.close()
  await accounts.close()
})

/** Creates a channel, after other channels, over a stage with this public address. */
async function create(
  token: unknown,
  { webUrl = 'https://agents.example.com', others = 0 }: { webUrl?: string; others?: number } = {},
) {
  const { table } = accounts
  const agent = await putAgent(table, ada.id)
  const config = { TELEGRAM_API_URL: telegram.url, SLACK_API_URL: '', WHATSAPP_API_URL: '' }
  const guard = { deployed: false }
  const log = createLog()
  const call = callerOf(group, { table, config, guard, webUrl, encryptionKey, log } as never)
  const path = `/api/agents/${agent.id}/channels`
  const { session } = ada
  const hook = { session, body: { kind: 'webhook', promptTemplate: '{{body}}' } }
  for (let count = 0; count < others; count++)
    expect((await call('POST', path, hook)).status).toBe(201)
  const body = { kind: 'telegram', token }
  const response = await call('POST', path, { session, body })
  const listed = await call('GET', path, { session })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    channels: ((await listed.json()) as { channels: unknown[] }).channels,
  }
}

describe('a channel for Telegram', () => {
  it('is registered at Telegram, and never shows its token', async () => {
    const bot = telegram.newBot('rhythm_bot')
    const { status, body, channels } = await create(bot.token)
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^chn_/),
        kind: 'telegram',
        settings: { username: 'rhythm_bot' },
        receiveUrl: `https://agents.example.com/in/telegram/${String(body.id)}`,
        waiting: 0,
        createdAt: expect.any(String),
      },
    ])
    expect(channels).toEqual([body])
    expect(bot.webhook?.url).toBe(body.receiveUrl)
    const { items } = await accounts.table.query({ pk: userPartition(ada.id) })
    expect(JSON.stringify(items)).not.toContain(bot.token)
  })

  it('is polled without a public https address', async () => {
    const bot = telegram.newBot()
    bot.webhook = { url: 'https://elsewhere.example.com/', secret: undefined }
    const { status, body } = await create(bot.token, { webUrl: 'http://localhost:3000' })
    expect([status, body.receiveUrl]).toEqual([201, null])
    expect(bot.webhook).toBeUndefined()
  })

  it.each([
    ['no token', undefined, /token required/],
    ['a token in another form', 'two words', /token of a bot/],
    ['a token with a path', '1:../../getMe?x=', /token of a bot/],
    ['a token that Telegram does not know', `1:${'a'.repeat(35)}`, /does not accept/],
  ])('is refused with %s, and nothing is stored', async (_, token, error) => {
    const answer = await create(token)
    expect(answer).toMatchObject({ status: 400, channels: [] })
    expect(answer.body.error).toMatch(error)
  })

  it('beyond the limit of the agent is refused before Telegram is called', async () => {
    const bot = telegram.newBot()
    const answer = await create(bot.token, { others: 10 })
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'CHANNEL_LIMIT_REACHED', limit: 10 },
    })
    expect(answer.channels).toHaveLength(10)
    expect(telegram.calls.filter(({ token }) => token === bot.token)).toEqual([])
  })

  it('is not created while Telegram fails', async () => {
    const bot = telegram.newBot()
    telegram.behave(() => 'hang-up')
    const answer = await create(bot.token)
    telegram.behave(() => undefined)
    expect(answer).toMatchObject({ status: 502, channels: [] })
  })
})
