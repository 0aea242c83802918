import { describe, expect, it } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { useWebConfigs } from '#tests/support/agents/web-configs.ts'

const on = useWebConfigs()

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys-wxyz'
const discordBotToken = 'a-token-of-a-bot-that-is-nobodys'
const webhookSecret = `whsec_${'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}`

describe('a secret in a config', () => {
  it('is masked, and sealed in the row', async () => {
    const agent = await on.stopped({ telegramToken, kept: 1 })
    const masked = { telegramToken: '••••wxyz', kept: 1 }
    expect(await on.shown(agent)).toEqual({ config: masked, status: 'ok' })
    const { body } = await on.put(agent, { webhookSecret, discordBotToken: 'short' })
    expect(body.config).toEqual({
      ...masked,
      discordBotToken: '••••',
      webhookSecret: `••••${webhookSecret.slice(-4)}`,
    })
    const row = JSON.stringify(await on.web.fleet.row(agent))
    for (const secret of [telegramToken, webhookSecret]) expect(row).not.toContain(secret)
  })

  it('stays unchanged if its mask is sent back', async () => {
    const agent = await on.stopped({ telegramToken })
    const before = await on.web.fleet.row(agent)
    const { body } = await on.put(agent, { telegramToken: '••••wxyz', kept: 1 })
    expect(body.config).toEqual({ telegramToken: '••••wxyz', kept: 1 })
    expect((await on.web.fleet.row(agent)).secrets).toEqual(before.secrets)
    await on.put(agent, { discordBotToken: '••••' })
    expect((await on.web.fleet.row(agent)).secrets).toEqual(before.secrets)
  })

  it('is removed by null', async () => {
    const agent = await on.stopped({ telegramToken })
    expect((await on.put(agent, { telegramToken: null })).body.config).toEqual({})
    expect((await on.web.fleet.row(agent)).secrets).toBeUndefined()
  })

  it('reaches the container as its environment, except those that the platform uses itself', async () => {
    const agent = await on.running({
      telegramToken,
      discordBotToken: 'discord-token',
      whatsappToken: 'whatsapp-token',
      webhookSecret,
    })
    const environment = await on.web.fleet.environmentOf(agent)
    expect(environment).toMatchObject({
      DISCORD_BOT_TOKEN: 'discord-token',
      WHATSAPP_TOKEN: 'whatsapp-token',
    })
    for (const secret of [telegramToken, webhookSecret])
      expect(JSON.stringify(environment)).not.toContain(secret)
  })

  it('a secret in a config that an earlier release stored in plain is masked, and sealed by the next write', async () => {
    const agent = await on.stopped()
    await changeAgent(on.web.fleet, {
      agent,
      decide: (current) => ({
        ...current,
        config: { telegramToken, kept: 1 },
      }),
    })
    expect((await on.shown(agent)).config).toEqual({ telegramToken: '••••wxyz', kept: 1 })
    expect((await on.put(agent, { kept: 2 })).body.config).toEqual({
      telegramToken: '••••wxyz',
      kept: 2,
    })
    const row = await on.web.fleet.row(agent)
    expect(row.config).toEqual({ kept: 2 })
    expect(JSON.stringify(row)).not.toContain(telegramToken)
  })

  it('a secret in a config that an earlier release stored in plain is sealed by the next start', async () => {
    const agent = await on.web.provisioned(await on.web.person())
    await changeAgent(on.web.fleet, {
      agent,
      decide: (current) => ({
        ...current,
        config: { discordBotToken },
      }),
    })
    const row = await on.web.fleet.untilRunning(agent)
    expect(JSON.stringify(row)).not.toContain(discordBotToken)
    expect(await on.web.fleet.environmentOf(row)).toMatchObject({
      DISCORD_BOT_TOKEN: discordBotToken,
    })
  })

  it('is rejected without an encryption key, with the reason', async () => {
    const agent = await on.stopped()
    const settings = { WALLET_ENCRYPTION_KEY: undefined }
    const { status, body } = await on.put(agent, { telegramToken }, { settings })
    expect([status, body]).toEqual([
      503,
      { error: 'Storing secrets is not configured', missing: ['WALLET_ENCRYPTION_KEY'] },
    ])
    expect((await on.put(agent, { kept: 1 }, { settings })).status).toBe(200)
  })

  it('a secret in a config of one agent cannot be opened for another', async () => {
    const [agent, other] = [await on.stopped({ discordBotToken }), await on.stopped()]
    await changeAgent(on.web.fleet, {
      agent: other,
      decide: (current) => ({
        ...current,
        secrets: agent.secrets,
      }),
    })
    expect((await on.shown(other)).config).toEqual({ discordBotToken: '••••' })
    const user = String(other.userId)
    await on.web.call('POST', `/api/instance/${other.id}/start`, { user })
    const row = await on.web.fleet.until(other, ({ status }) => status === 'error')
    expect(row.stopReason).toMatchObject({ text: expect.stringContaining('discordBotToken') })
  })
})
