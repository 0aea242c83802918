import { afterAll, beforeAll, expect, it } from 'vitest'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import * as due from '../channels-due.ts'

const on = usePlayedAgent()
let telegram: Awaited<ReturnType<typeof startTelegram>>
beforeAll(async () => void (telegram = await startTelegram()))
afterAll(() => telegram.close())

it('an idle channel of a deployed stage has no due row, and the schedule does nothing for it', async () => {
  const { table } = on.accounts
  const { session } = on.ada
  const settings = { TELEGRAM_API_URL: telegram.url, WEB_URL: 'https://play.example' }
  const channels = channelsOver(table, settings)
  const { queues } = channels
  const scheduledAt = Date.now() + 86_400_000

  /** @returns the result of the schedule as it is deployed, and its calls of the table */
  async function tick() {
    const calls: string[] = []
    const recorded = before(table, (name, given) => void calls.push(JSON.stringify([name, given])))
    const config = { ...loadConfig(settings), deployed: true }
    const services = { table: recorded, queues, config, encryptionKey: undefined, allowed: [] }
    const more = { webUrl: config.WEB_URL, guard: { deployed: true }, log: createLog() }
    const result = await due.tick({ ...services, ...more, scheduledAt } as never)
    return { result, calls }
  }
  const without = await tick()

  const { address } = on.agent
  const agent = await putAgent(table, on.ada.id, { ...(address && { address }) })
  const bot = telegram.newBot()
  const body = { kind: 'telegram', token: bot.token }
  const { id } = (await channels.call('POST', `${agent.id}/channels`, { session, body })).body
  const write = async () => {
    const { headers, body: text } = bot.post(bot.receive({ text: 'Hi' }))
    await channels.receive(`telegram/${String(id)}`, { text, headers })
    await channels.deliver()
  }
  await write()
  const call = callerOf({ routes: senderRoutes }, { ...channels, table })
  const decision = { session, body: { decision: 'approve' } }
  await call('POST', `/api/agents/${agent.id}/channels/${String(id)}/senders/77`, decision)
  await write()
  expect(bot.sent.at(-1)?.text).toBe('Fine, thanks.')

  const { items } = await table.query({ pk: userPartition(on.ada.id), beginsWith: 'channel' })
  expect(items.length).toBeGreaterThan(5)
  expect(items.filter(({ gsi1pk }) => gsi1pk !== undefined)).toEqual([])
  const calls = telegram.calls.length
  expect(await tick()).toEqual(without)
  expect(telegram.calls).toHaveLength(calls)
  expect(channels.waiting).toEqual([])
})
