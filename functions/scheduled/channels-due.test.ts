import { afterAll, beforeAll, expect, it } from 'vitest'
import { listEvents } from '#shared/agents/record/events/list.ts'
import { pollChannels } from '#shared/conversations/channels/events/poll.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../web/channels.ts'

let accounts: Accounts
let telegram: Awaited<ReturnType<typeof startTelegram>>

beforeAll(async () => {
  accounts = await startAccounts()
  telegram = await startTelegram()
})
afterAll(async () => {
  telegram.close()
  await accounts.close()
})

it('a bot on one machine is asked for messages, each taken once, until its token is revoked or WEB_URL is a public https address', async () => {
  const { table } = accounts
  const ada = await accounts.signUp('ada@b.co')
  const agent = await putAgent(table, ada.id)
  const bot = telegram.newBot()
  const turns: unknown[] = []
  const services = {
    table,
    config: loadConfig({ TELEGRAM_API_URL: telegram.url }),
    guard: { deployed: false },
    webUrl: 'http://localhost:3000',
    encryptionKey,
    log: createLog(),
    queues: { send: async (_: unknown, turn: unknown) => void turns.push(turn) },
  }
  const call = callerOf(group, services as never)
  const created = await call('POST', `/api/agents/${agent.id}/channels`, {
    session: ada.session,
    body: { kind: 'telegram', token: bot.token },
  })
  expect(created.status).toBe(201)
  const pollUntil = (count: number) => {
    const clock = () => (turns.length < count ? Date.now() : Date.now() + 60_000)
    return pollChannels({ ...services, clock } as never, { until: Date.now() + 30_000 })
  }
  bot.receive({ text: 'one' })
  expect(await pollUntil(1)).toEqual({ polled: 1 })
  bot.receive({ text: 'two' })
  await pollUntil(2)
  expect(turns).toHaveLength(2)
  expect(bot.updates).toMatchObject([{ message: { text: 'two' } }])

  telegram.revoke(bot)
  await pollUntil(3)
  const { items } = await listEvents({ table } as never, { agent, limit: 5, cursor: undefined })
  expect(items[0]?.text).toBe('Telegram no longer accepts the bot’s token')
  expect(await pollUntil(3)).toEqual({ polled: 0 })

  const { id } = (await created.json()) as { id: string }
  const next = telegram.newBot()
  const changed = await call('PATCH', `/api/agents/${agent.id}/channels/${id}`, {
    session: ada.session,
    body: { token: next.token },
  })
  expect(changed.status).toBe(200)
  next.receive({ text: 'three' })
  expect(await pollUntil(3)).toEqual({ polled: 1 })

  const reachable = { ...services, webUrl: 'https://agents.example.com' }
  telegram.behave(() => 'hang-up')
  expect(await pollChannels(reachable as never, { until: Infinity })).toEqual({ polled: 0 })
  telegram.behave(() => undefined)
  expect(next.webhook).toBeUndefined()
  await pollChannels(reachable as never, { until: Infinity })
  expect(next.webhook?.url).toBe(`https://agents.example.com/in/telegram/${id}`)
})
