import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWebAgents, type WebAgents, type WebCall } from '../../../tests/support/web-agents.ts'
import type { Agent } from '../../../shared/agents/agent.ts'
import { changeAgent } from '../../../shared/agents/change.ts'
import { createAgent } from '../../../shared/agents/create.ts'
import { stopAgent } from '../../../shared/agents/lifecycle/stop.ts'
import { newSeed } from '../../../shared/platform/ids.ts'

let web: WebAgents

beforeAll(async () => {
  web = await startWebAgents()
})
afterAll(() => web.fleet.close())
beforeEach(() => web.fleet.forget())

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys-wxyz'
const webhookSecret = `whsec_${'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}`

const pathOf = (agent: Agent) => `/api/agents/${agent.id}/config`
const put = (agent: Agent, config: object, given: WebCall & { query?: string } = {}) =>
  web.call('PUT', pathOf(agent) + (given.query ?? ''), {
    user: String(agent.userId),
    body: { config },
    ...given,
  })
const shown = async (agent: Agent) =>
  (await web.call('GET', pathOf(agent), { user: String(agent.userId) })).body

async function running(config: object = {}): Promise<Agent> {
  return web.fleet.untilRunning(await web.provisioned(await web.person(), config))
}

async function stopped(config: object = {}): Promise<Agent> {
  const agent = await web.provisioned(await web.person(), config)
  await stopAgent(web.fleet.services, agent)
  web.fleet.forget()
  return web.fleet.row(agent)
}

describe('an agent’s config', () => {
  it('is merged key by key: what is not named stays, null removes', async () => {
    const agent = await stopped({ systemPrompt: 'Sing.', mood: { colour: 'blue' }, kept: 1 })
    const { status, body } = await put(agent, { mood: 'red', systemPrompt: null, model: 'a/b' })
    expect(status).toBe(200)
    const config = { kept: 1, mood: 'red', model: 'a/b' }
    expect(body).toEqual({ config, status: 'updated' })
    expect(await shown(agent)).toEqual({ config, status: 'ok' })
    expect(await web.fleet.row(agent)).toMatchObject({ model: 'a/b', generation: 1 })
  })

  it('holds no character that would keep the agent’s events from arriving', async () => {
    const agent = await stopped()
    const { body } = await put(agent, { systemPrompt: '🥁 \ufffe\uffff \ud800' })
    expect(body.config).toEqual({ systemPrompt: '🥁 \ufffd\ufffd \ufffd' })
  })

  it('knows its keys, and null clears a cap and a sleep', async () => {
    const agent = await stopped()
    const known = {
      systemPrompt: 'Sing.',
      model: 'a/b',
      aiProvider: 'openai',
      plan: 'label',
      webhookUrl: 'https://example.com/hook',
      sleepAfterMinutes: 5,
      spendCapUsd: 1.5,
    }
    expect((await put(agent, known)).body.config).toEqual(known)
    expect(await web.fleet.row(agent)).toMatchObject({ aiProvider: 'openai', plan: 'label' })
    const cleared = await put(agent, { sleepAfterMinutes: null, spendCapUsd: null })
    const { sleepAfterMinutes: _, spendCapUsd: __, ...rest } = known
    expect(cleared.body.config).toEqual(rest)
  })

  it.each([
    ['systemPrompt', 7],
    ['systemPrompt', 'a'.repeat(4001)],
    ['systemPrompt', '"'.repeat(2001)],
    ['telegramToken', 'a'.repeat(257)],
    ['discordBotToken', 'a"b'],
    ['model', ''],
    ['plan', {}],
    ['webhookUrl', 'http://example.com/hook'],
    ['webhookUrl', 'https://user:password@example.com'],
    ['webhookUrl', 'javascript:alert(1)'],
    ['webhookUrl', 'http://127.0.0.1.example.com'],
    ['webhookUrl', `https://example.com/${'a'.repeat(2048)}`],
    ['sleepAfterMinutes', 0],
    ['sleepAfterMinutes', 1.5],
    ['sleepAfterMinutes', '5'],
    ['spendCapUsd', -1],
    ['spendCapUsd', '1'],
    ['telegramToken', ''],
    ['telegramToken', 'two words'],
    ['telegramToken', 'a\nb'],
    ['discordBotToken', 'x'.repeat(513)],
    ['whatsappToken', 7],
    ['webhookSecret', 'secret'],
    ['webhookSecret', 'whsec_short'],
  ])('refuses a %s of %j, and stays as it was', async (key, value) => {
    const agent = await stopped({ kept: 1 })
    const { status, body } = await put(agent, { other: 2, [key]: value })
    expect([status, body]).toEqual([400, { error: expect.stringContaining(key) }])
    expect(await web.fleet.row(agent)).toEqual(agent)
  })

  it.each([
    ['no config', {}],
    ['a list', { config: [] }],
    ['a text', { config: 'a' }],
  ])('refuses a body with %s', async (_, body) => {
    const agent = await stopped()
    expect((await put(agent, {}, { body })).status).toBe(400)
    expect((await put(agent, {}, { query: '?apply=perhaps' })).status).toBe(400)
  })

  it('takes a webhook on this machine only where there is no other', async () => {
    const agent = await stopped()
    const hook = { webhookUrl: 'http://127.0.0.1:4000/hook' }
    expect((await put(agent, hook)).status).toBe(200)
    const deployed = await put(agent, hook, { settings: { deployed: true } })
    expect(deployed).toMatchObject({ status: 400, body: { error: expect.stringMatching(/https/) } })
  })

  it('does not grow without end, however often it is added to', async () => {
    const agent = await stopped()
    expect((await put(agent, { a: 'a'.repeat(60_000) })).status).toBe(200)
    expect((await put(agent, { b: 'b'.repeat(60_000) })).status).toBe(400)
    expect((await web.fleet.row(agent)).config).not.toHaveProperty('b')
  })

  it('gives nobody a larger container than they pay for', async () => {
    const agent = await stopped()
    const refused = await put(agent, { plan: 'network', kept: 1 })
    expect(refused).toMatchObject({ status: 402, body: { code: 'PLAN_REQUIRED' } })
    expect(await web.fleet.row(agent)).toEqual(agent)
    expect((await put(agent, { plan: 'starter' })).status).toBe(200)
    expect((await web.fleet.row(agent)).plan).toBe('solo')
  })

  it.each(['canceled', 'past_due'])(
    'gives no larger container for a plan that is %s',
    async (status) => {
      const user = await web.person('network', { status })
      const by = { userId: user, email: undefined }
      const agent = await createAgent(web.fleet.services, { name: 'Ada' }, by, newSeed())
      const refused = await put(agent, { plan: 'enterprise' })
      expect(refused).toMatchObject({ status: 402, body: { code: 'PLAN_REQUIRED' } })
      expect(await web.fleet.row(agent)).toEqual(agent)
      expect((await put(agent, { plan: 'label' })).status).toBe(200)
    },
  )

  it('is its owner’s alone', async () => {
    const agent = await stopped({ kept: 1 })
    const user = await web.person()
    const answers = await Promise.all([
      web.call('GET', pathOf(agent), { user }),
      put(agent, { kept: 2 }, { user }),
      web.call('GET', '/api/agents/agt_nobody/config', { user }),
    ])
    for (const { status, body } of answers)
      expect([status, body]).toEqual([404, { error: 'Agent not found' }])
    expect((await web.call('GET', pathOf(agent))).status).toBe(401)
    expect((await web.call('PUT', pathOf(agent), { body: { config: {} } })).status).toBe(401)
    expect(await web.fleet.row(agent)).toEqual(agent)
  })

  it('loses nothing of changes at once', async () => {
    const agent = await stopped()
    const keys = Array.from({ length: 12 }, (_, n) => `key${n}`)
    const answers = await Promise.all(keys.map((key, n) => put(agent, { [key]: n })))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    const { config } = await shown(agent)
    expect(config).toEqual(Object.fromEntries(keys.map((key, n) => [key, n])))
  })
})

describe('a secret of a config', () => {
  it('is masked, and nowhere in the row as it is', async () => {
    const agent = await stopped({ telegramToken, kept: 1 })
    const masked = { telegramToken: '••••wxyz', kept: 1 }
    expect(await shown(agent)).toEqual({ config: masked, status: 'ok' })
    const { body } = await put(agent, { webhookSecret, discordBotToken: 'short' })
    expect(body.config).toEqual({
      ...masked,
      discordBotToken: '••••',
      webhookSecret: `••••${webhookSecret.slice(-4)}`,
    })
    const row = JSON.stringify(await web.fleet.row(agent))
    for (const secret of [telegramToken, webhookSecret]) expect(row).not.toContain(secret)
  })

  it('that is sent back masked stays as it is', async () => {
    const agent = await stopped({ telegramToken })
    const before = await web.fleet.row(agent)
    const { body } = await put(agent, { telegramToken: '••••wxyz', kept: 1 })
    expect(body.config).toEqual({ telegramToken: '••••wxyz', kept: 1 })
    expect((await web.fleet.row(agent)).secrets).toEqual(before.secrets)
    await put(agent, { discordBotToken: '••••' })
    expect((await web.fleet.row(agent)).secrets).toEqual(before.secrets)
  })

  it('is removed by null', async () => {
    const agent = await stopped({ telegramToken })
    expect((await put(agent, { telegramToken: null })).body.config).toEqual({})
    expect((await web.fleet.row(agent)).secrets).toBeUndefined()
  })

  it('reaches the container as its environment, and the webhook’s does not', async () => {
    const agent = await running({
      telegramToken,
      discordBotToken: 'discord-token',
      whatsappToken: 'whatsapp-token',
      webhookSecret,
    })
    const environment = await web.fleet.environmentOf(agent)
    expect(environment).toMatchObject({
      TELEGRAM_TOKEN: telegramToken,
      DISCORD_BOT_TOKEN: 'discord-token',
      WHATSAPP_TOKEN: 'whatsapp-token',
    })
    expect(JSON.stringify(environment)).not.toContain(webhookSecret)
  })

  it('that an earlier release kept in the open is masked, and sealed by the next write', async () => {
    const agent = await stopped()
    await changeAgent(web.fleet.table, agent, (current) => ({
      ...current,
      config: { telegramToken, kept: 1 },
    }))
    expect((await shown(agent)).config).toEqual({ telegramToken: '••••wxyz', kept: 1 })
    expect((await put(agent, { kept: 2 })).body.config).toEqual({
      telegramToken: '••••wxyz',
      kept: 2,
    })
    const row = await web.fleet.row(agent)
    expect(row.config).toEqual({ kept: 2 })
    expect(JSON.stringify(row)).not.toContain(telegramToken)
  })

  it('that an earlier release kept in the open is sealed by the next start', async () => {
    const agent = await web.provisioned(await web.person())
    await changeAgent(web.fleet.table, agent, (current) => ({
      ...current,
      config: { telegramToken },
    }))
    const row = await web.fleet.untilRunning(agent)
    expect(JSON.stringify(row)).not.toContain(telegramToken)
    expect(await web.fleet.environmentOf(row)).toMatchObject({ TELEGRAM_TOKEN: telegramToken })
  })

  it('cannot be kept without a key, which is said', async () => {
    const agent = await stopped()
    const settings = { WALLET_ENCRYPTION_KEY: undefined }
    const { status, body } = await put(agent, { telegramToken }, { settings })
    expect([status, body]).toEqual([
      503,
      { error: 'Keeping secrets is not configured', missing: ['WALLET_ENCRYPTION_KEY'] },
    ])
    expect((await put(agent, { kept: 1 }, { settings })).status).toBe(200)
  })

  it('of one agent does not open for another', async () => {
    const [agent, other] = [await stopped({ telegramToken }), await stopped()]
    await changeAgent(web.fleet.table, other, (current) => ({ ...current, secrets: agent.secrets }))
    expect((await shown(other)).config).toEqual({ telegramToken: '••••' })
    const user = String(other.userId)
    await web.call('POST', `/api/instance/${other.id}/start`, { user })
    const row = await web.fleet.until(other, ({ status }) => status === 'error')
    expect(row.stopReason).toMatchObject({ text: expect.stringContaining('telegramToken') })
  })
})

describe('a change of the config of an agent that runs', () => {
  it('reaches the container by a restart', async () => {
    const agent = await running({ systemPrompt: 'Sing.' })
    expect((await put(agent, { systemPrompt: 'Dance.', telegramToken })).status).toBe(200)
    expect(await web.fleet.row(agent)).toMatchObject({ status: 'provisioning', generation: 2 })
    const again = await web.fleet.untilRunning(agent)
    expect(await web.fleet.environmentOf(again)).toMatchObject({
      SYSTEM_PROMPT: 'Dance.',
      TELEGRAM_TOKEN: telegramToken,
    })
    expect(await web.fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('waits for the next start where that is wanted', async () => {
    const agent = await running({ systemPrompt: 'Sing.' })
    await put(agent, { systemPrompt: 'Dance.' }, { query: '?apply=false' })
    expect(await web.fleet.row(agent)).toMatchObject({ status: 'running', generation: 1 })
    expect(web.fleet.sent).toEqual([])
    const user = String(agent.userId)
    await web.call('POST', `/api/instance/${agent.id}/restart`, { user })
    const again = await web.fleet.untilRunning(agent)
    expect(await web.fleet.environmentOf(again)).toMatchObject({ SYSTEM_PROMPT: 'Dance.' })
  })

  it('restarts nothing where the container is not told of it, or nothing changes', async () => {
    const agent = await running({ systemPrompt: 'Sing.', telegramToken })
    for (const config of [
      { systemPrompt: 'Sing.' },
      { telegramToken },
      { spendCapUsd: 5, sleepAfterMinutes: 9, kept: 1, webhookUrl: 'https://example.com' },
    ])
      expect((await put(agent, config)).status).toBe(200)
    expect(await web.fleet.row(agent)).toMatchObject({ status: 'running', generation: 1 })
  })

  it('waits while provisioning is disabled: what is stopped then would not come back', async () => {
    const agent = await running({ systemPrompt: 'Sing.' })
    const settings = { KILL_SWITCH: true }
    expect((await put(agent, { systemPrompt: 'Dance.' }, { settings })).status).toBe(200)
    expect(await web.fleet.row(agent)).toMatchObject({
      status: 'running',
      generation: 1,
      config: { systemPrompt: 'Dance.' },
    })
  })
})
