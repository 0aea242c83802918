import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as setUps from '#functions/jobs/channel-set-ups.ts'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import * as agents from '#functions/web/agents.ts'
import { channelSetUps } from '#shared/agents/fleet/channels/topic.ts'
import { type Agent, agentKey, toAgent } from '#shared/agents/record/agent.ts'
import { senderRows } from '#shared/agents/record/rows.ts'
import { placeOf } from '#shared/agents/record/watch/place.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf, type UserCall } from '#tests/support/http/caller.ts'
import * as channels from '../channels.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let telegram: Awaited<ReturnType<typeof startTelegram>>
let bot: PlayedBot
let agent: Agent

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  telegram = await startTelegram()
})
afterAll(async () => {
  telegram.close()
  await accounts.close()
})
beforeEach(async () => {
  bot = telegram.newBot('rhythm_bot')
  agent = await putAgent(accounts.table, ada.id, { status: 'stopped', desired: 'stopped' })
})

function services(table: Table = accounts.table) {
  const nothing = async () => {}
  return {
    table,
    queues: { send: nothing, sendAll: nothing },
    log: createLog(),
    config: {
      ...loadConfig({
        WALLET_ENCRYPTION_KEY: encryptionKey,
        TELEGRAM_API_URL: telegram.url,
        WEB_URL: 'https://agents.example.com',
      }),
      deployed: false,
    },
    encryptionKey,
    webUrl: 'https://agents.example.com',
    guard: { deployed: false },
  }
}

async function call(method: string, path: string, given: UserCall & { table?: Table } = {}) {
  const routes = [...agents.routes, ...senderRoutes, ...channels.routes]
  const send = callerOf({ routes: routes as never }, services(given.table))
  const answer = await send(method, `/api/agents/${agent.id}/${path}`, {
    session: ada.session,
    ...given,
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const setUp = () =>
  setUps.job.handle(
    services() as never,
    channelSetUps.schema().parse({ userId: ada.id, agentId: agent.id }),
  )

const listed = async () =>
  (await call('GET', 'channels')).body['channels'] as { id: string; settings: object }[]

const tokenOfConfig = async () => {
  const { config } = (await call('GET', 'config')).body as { config: Record<string, unknown> }
  return config['telegramToken']
}

const shown = ({ token }: PlayedBot) => `••••${token.slice(-4)}`

async function placeOfAgent() {
  const item = await accounts.table.get(agentKey({ userId: ada.id, agentId: agent.id }), {
    consistent: true,
  })
  return item && placeOf(toAgent(item))
}

/** Gives the config the bot's token. @returns the id of its channel */
async function withToken(): Promise<string> {
  const body = { config: { telegramToken: bot.token } }
  expect((await call('PUT', 'config', { body })).status).toBe(200)
  await setUp()
  return String((await listed())[0]?.id)
}

describe('the channel of a config’s token', () => {
  it('removes the token from the config when it is deleted', async () => {
    const id = await withToken()
    expect((await call('DELETE', `channels/${id}`)).status).toBe(200)
    expect([await listed(), await tokenOfConfig(), bot.webhook]).toEqual([[], undefined, undefined])
    expect(await placeOfAgent()).toBeUndefined()
    await setUp()
    expect(await listed()).toEqual([])
    expect(await withToken()).toBe(id)
    expect(bot.webhook?.url).toContain(id)
  })

  it('changes the token of the config with its own', async () => {
    const id = await withToken()
    const next = telegram.newBot('next_bot')
    const changed = await call('PATCH', `channels/${id}`, { body: { token: next.token } })
    expect(changed).toMatchObject({ status: 200, body: { id, settings: { username: 'next_bot' } } })
    expect(await tokenOfConfig()).toBe(shown(next))
    expect(await placeOfAgent()).toBeUndefined()
    await setUp()
    expect(await listed()).toMatchObject([{ id, settings: { username: 'next_bot' } }])
    expect(next.webhook?.url).toBe(`https://agents.example.com/in/telegram/${id}`)
  })

  it('keeps both tokens if Telegram refuses the new one, or if a stranger asks', async () => {
    const id = await withToken()
    const refused = telegram.newBot()
    telegram.revoke(refused)
    const body = { token: refused.token }
    expect((await call('PATCH', `channels/${id}`, { body })).status).toBe(400)
    const { session } = await accounts.signUp('eve@b.co')
    const next = { token: telegram.newBot().token }
    expect((await call('PATCH', `channels/${id}`, { body: next, session })).status).toBe(404)
    expect((await call('DELETE', `channels/${id}`, { session })).status).toBe(404)
    expect(await listed()).toMatchObject([{ id, settings: { username: 'rhythm_bot' } }])
    expect(await tokenOfConfig()).toBe(shown(bot))
  })

  it('is deleted by the watchdog if the process dies after it changed the config', async () => {
    const id = await withToken()
    const dying: Table = {
      ...accounts.table,
      delete: () => Promise.reject(new Error('killed')),
    }
    const { status } = await call('DELETE', `channels/${id}`, { table: dying })
    expect([status, await tokenOfConfig()]).toEqual([500, undefined])
    expect(await placeOfAgent()).toMatch(/^due#/)
    await setUp()
    expect([await listed(), await placeOfAgent()]).toEqual([[], undefined])
  })

  it('has the decisions about senders that the bot in the container had, also as `telegram`', async () => {
    const decidedAt = '2026-01-02T03:04:05.000Z'
    await accounts.table.put(
      senderRows.put(
        { userId: ada.id, agentId: agent.id },
        {
          channels: {
            telegram: {
              '34': { name: 'Ann (@ann)', state: 'approved', decidedAt },
              '56': { name: null, state: 'blocked', decidedAt },
            },
          },
          revision: 2,
        },
      ),
    )
    expect((await call('GET', 'channels/telegram/senders')).status).toBe(404)
    const id = await withToken()
    const senders = [
      { id: '34', name: 'Ann (@ann)', state: 'approved', code: null },
      { id: '56', name: null, state: 'blocked', code: null },
    ]
    const lists = [`channels/${id}/senders`, 'channels/telegram/senders']
    for (const path of lists) expect((await call('GET', path)).body).toEqual({ senders })
    const body = { decision: 'approve' }
    expect(await call('POST', 'channels/telegram/senders/56', { body })).toMatchObject({
      status: 200,
      body: { id: '56', state: 'approved', applied: true },
    })
    for (const path of lists)
      expect((await call('GET', path)).body['senders']).toContainEqual({
        ...senders[1],
        state: 'approved',
      })
    // A sender who never wrote has no code, so the id decides.
    const byId = await call('POST', 'channels/telegram/senders/99', { body })
    expect(byId.body).toEqual({ ...senders[0], id: '99', name: null, applied: true })
    expect((await call('POST', 'channels/telegram/senders/WRONG234', { body })).status).toBe(404)
    await call('PUT', 'config', { body: { config: { telegramToken: telegram.newBot().token } } })
    await setUp()
    expect((await call('GET', 'channels/telegram/senders')).body['senders']).toHaveLength(3)
  })
})
