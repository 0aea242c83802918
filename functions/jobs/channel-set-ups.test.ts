import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { channelSetUps } from '#shared/agents/fleet/channels/topic.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { listEvents } from '#shared/agents/record/events/list.ts'
import { placeOf } from '#shared/agents/record/watch/place.ts'
import { openChannel } from '#shared/conversations/channels/channel.ts'
import { channelRows } from '#shared/conversations/channels/rows.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { useWebConfigs } from '#tests/support/agents/web-configs.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import * as due from '../scheduled/channels-due.ts'
import { job } from './channel-set-ups.ts'

const on = useWebConfigs()
let telegram: Awaited<ReturnType<typeof startTelegram>>
let bot: PlayedBot

beforeAll(async () => {
  telegram = await startTelegram()
})
afterAll(() => telegram.close())
beforeEach(() => {
  telegram.behave(() => undefined)
  bot = telegram.newBot('rhythm_bot')
})

function settingsOfJobs() {
  const { WALLET_ENCRYPTION_KEY } = on.web.fleet.services.config
  return {
    ...loadConfig({
      ...(WALLET_ENCRYPTION_KEY !== undefined && { WALLET_ENCRYPTION_KEY }),
      TELEGRAM_API_URL: telegram.url,
      WEB_URL: 'https://agents.example.com',
    }),
    deployed: false,
  }
}

/** Runs the schedule of channels. */
function tick() {
  const { table, queues } = on.web.fleet
  const config = settingsOfJobs()
  const { WEB_URL: webUrl, WALLET_ENCRYPTION_KEY: encryptionKey } = config
  const services = { table, queues, config, webUrl, encryptionKey, log: createLog() }
  const guard = { deployed: false }
  return due.tick({ ...services, guard, scheduledAt: Date.now() } as never)
}

/** Delivers the set-ups that wait, as often as they were sent. */
async function deliver(agent: Agent, times = 1) {
  const { fleet } = on.web
  const waiting = fleet.sent.filter(({ queue }) => queue === 'channel-set-ups')
  const config = settingsOfJobs()
  for (let time = 0; time < times; time++)
    for (const { body } of waiting)
      await job.handle(
        { table: fleet.table, queues: fleet.queues, log: createLog(), config } as never,
        channelSetUps.schema().parse(body),
      )
  return fleet.row(agent)
}

async function channelsOf({ id: agentId, userId }: Agent) {
  const store = userStore(on.web.fleet.table, String(userId))
  const { items } = await store.query({ beginsWith: channelRows.prefix({ agentId }) })
  const encryptionKey = on.web.fleet.services.config.WALLET_ENCRYPTION_KEY
  return Promise.all(items.map((item) => openChannel({ encryptionKey }, channelRows.parse(item))))
}

const eventsOf = async (agent: Agent) =>
  (await listEvents(on.web.fleet, { agent, limit: 20, cursor: undefined })).items.map(
    ({ text }) => text,
  )

/** Returns an agent whose channel has the bot's token. */
async function withChannel(): Promise<Agent> {
  const agent = await on.stopped()
  await on.put(agent, { telegramToken: bot.token })
  const row = await deliver(agent)
  on.web.fleet.forget()
  return row
}

describe('the token for Telegram of a config', () => {
  it('becomes a channel once, and the agent is not restarted', async () => {
    const agent = await on.running()
    expect((await on.put(agent, { telegramToken: bot.token })).status).toBe(200)
    const row = await deliver(agent, 2)
    const channels = await channelsOf(agent)
    expect(channels).toMatchObject([
      { kind: 'telegram', settings: { username: 'rhythm_bot' }, secrets: { token: bot.token } },
    ])
    expect(bot.webhook?.url).toBe(
      `https://agents.example.com/in/telegram/${String(channels[0]?.id)}`,
    )
    expect(row).toMatchObject({ generation: agent.generation, status: 'running' })
    const shown = await on.web.call('GET', `/api/agents/${agent.id}`, {
      user: String(agent.userId),
    })
    expect(shown.body.agent).toMatchObject({ sleepAfterMinutes: 15 })
    expect((await on.shown(agent)).config).toEqual({
      telegramToken: `••••${bot.token.slice(-4)}`,
    })
  })

  it('is replaced by another bot’s, under the same address', async () => {
    const agent = await withChannel()
    const [before] = await channelsOf(agent)
    const next = telegram.newBot('next_bot')
    await on.put(agent, { telegramToken: next.token })
    await deliver(agent)
    expect(await channelsOf(agent)).toMatchObject([
      { id: before?.id, settings: { username: 'next_bot' }, secrets: { token: next.token } },
    ])
    expect(next.webhook?.url).toBe(bot.webhook?.url)
  })

  it('that is removed deletes the channel and its registration', async () => {
    const agent = await withChannel()
    await on.put(agent, { telegramToken: null })
    await deliver(agent, 2)
    expect(await channelsOf(agent)).toEqual([])
    expect(bot.webhook).toBeUndefined()
  })

  it('that is set again while its removal waits for Telegram stays registered', async () => {
    const agent = await withChannel()
    telegram.behave(() => 'hang-up')
    await on.put(agent, { telegramToken: null })
    await deliver(agent)
    expect(await channelsOf(agent)).toEqual([])
    on.web.fleet.forget()
    telegram.behave(() => undefined)
    await on.put(agent, { telegramToken: bot.token })
    await deliver(agent)
    await tick()
    expect(bot.webhook?.url).toContain((await channelsOf(agent))[0]?.id)
  })

  it('whose agent is deleted is no longer registered at Telegram', async () => {
    const agent = await withChannel()
    const { fleet } = on.web
    const user = String(agent.userId)
    expect(bot.webhook).toBeDefined()
    expect((await on.web.call('DELETE', `/api/agents/${agent.id}`, { user })).status).toBe(200)
    for (const { queue, body } of fleet.sent)
      if (queue === 'provisioning') await fleet.consume(body)
    expect(await channelsOf(agent)).toEqual([])
    telegram.behave(() => 'hang-up')
    await tick()
    expect(bot.webhook).toBeDefined()
    telegram.behave(() => undefined)
    await tick()
    expect(bot.webhook).toBeUndefined()
    await expect(tick()).resolves.toMatchObject({ tornDown: 0 })
  })

  it('that another agent uses by then stays registered there', async () => {
    const agent = await withChannel()
    const { fleet } = on.web
    const user = String(agent.userId)
    await on.web.call('DELETE', `/api/agents/${agent.id}`, { user })
    for (const { queue, body } of fleet.sent)
      if (queue === 'provisioning') await fleet.consume(body)
    fleet.forget()
    const next = await withChannel()
    await tick()
    expect(bot.webhook?.url).toContain((await channelsOf(next))[0]?.id)
  })

  it.each([
    ['that Telegram revoked', () => bot.token, /Telegram does not accept this token/],
    ['that is no token of a bot', () => 'some-text', /must be the token of a bot/],
  ])('%s is reported to the owner once, and not tried again', async (_, token, text) => {
    telegram.revoke(bot)
    const agent = await on.stopped()
    await on.put(agent, { telegramToken: token() })
    const row = await deliver(agent, 2)
    expect(await channelsOf(agent)).toEqual([])
    expect((await eventsOf(agent)).filter((one) => text.test(one))).toHaveLength(1)
    expect(placeOf(row)).toBeUndefined()
  })

  it('that can no longer be decrypted is reported to the owner', async () => {
    const [agent, other] = [await withChannel(), await on.stopped()]
    await changeAgent(on.web.fleet, {
      agent: other,
      decide: (current) => ({ ...current, secrets: agent.secrets }),
    })
    await on.put(other, { kept: 1 })
    const row = await deliver(other)
    expect(await eventsOf(other)).toContain(
      'telegramToken can no longer be decrypted: set it again',
    )
    expect(placeOf(row)).toBeUndefined()
  })

  it('waits while Telegram cannot be reached, and the watchdog continues', async () => {
    telegram.behave(() => 'hang-up')
    const agent = await on.stopped()
    await on.put(agent, { telegramToken: bot.token })
    expect(placeOf(await deliver(agent))).toMatch(/^due#0/)
    telegram.behave(() => undefined)
    expect(placeOf(await deliver(agent))).toBeUndefined()
    expect(await channelsOf(agent)).toHaveLength(1)
  })

  it('is removed from a container of an earlier release before it becomes a channel', async () => {
    const agent = await on.running()
    await on.put(agent, { telegramToken: bot.token })
    await changeAgent(on.web.fleet, {
      agent,
      decide: (current) => ({
        ...current,
        healthyConfig: { ...current.healthyConfig, secrets: current.secrets },
      }),
    })
    expect(await deliver(agent)).toMatchObject({ generation: 2 })
    expect(await channelsOf(agent)).toEqual([])
    const setUps = on.web.fleet.sent.filter(({ queue }) => queue === 'channel-set-ups')
    const again = await on.web.fleet.until(
      agent,
      ({ status, previousTaskArn }) => status === 'running' && previousTaskArn === undefined,
    )
    expect(Object.keys(await on.web.fleet.environmentOf(again))).not.toContain('TELEGRAM_TOKEN')
    on.web.fleet.sent.push(...setUps)
    expect(await deliver(agent)).toMatchObject({ generation: 2 })
    expect(await channelsOf(agent)).toHaveLength(1)
  })
})
