import { describe, expect, it } from 'vitest'
import { createAgent } from '#shared/agents/fleet/create.ts'
import { useWebConfigs } from '#tests/support/agents/web-configs.ts'
import { trusted } from '#tests/support/platform/context.ts'

const on = useWebConfigs()

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys-wxyz'

describe('an agent’s config', () => {
  it('is merged key by key: absent keys stay, null removes', async () => {
    const agent = await on.stopped({ systemPrompt: 'Sing.', mood: { colour: 'blue' }, kept: 1 })
    const { status, body } = await on.put(agent, { mood: 'red', systemPrompt: null, model: 'a/b' })
    expect(status).toBe(200)
    const config = { kept: 1, mood: 'red', model: 'a/b' }
    expect(body).toEqual({ config, status: 'updated' })
    expect(await on.shown(agent)).toEqual({ config, status: 'ok' })
    expect(await on.web.fleet.row(agent)).toMatchObject({ model: 'a/b', generation: 1 })
  })

  it('replaces characters that would prevent the delivery of task events', async () => {
    const agent = await on.stopped()
    const { body } = await on.put(agent, { systemPrompt: '🥁 \ufffe\uffff \ud800' })
    expect(body.config).toEqual({ systemPrompt: '🥁 \ufffd\ufffd \ufffd' })
  })

  it('accepts its known keys, and null clears a cap and a sleep', async () => {
    const agent = await on.stopped()
    const known = {
      systemPrompt: 'Sing.',
      model: 'a/b',
      aiProvider: 'openai',
      plan: 'label',
      webhookUrl: 'https://example.com/hook',
      sleepAfterMinutes: 5,
      spendCapUsd: 1.5,
      spendCapUsdPerDay: 0.5,
    }
    expect((await on.put(agent, known)).body.config).toEqual(known)
    expect(await on.web.fleet.row(agent)).toMatchObject({ aiProvider: 'openai', plan: 'label' })
    const cleared = await on.put(agent, {
      sleepAfterMinutes: null,
      spendCapUsd: null,
      spendCapUsdPerDay: null,
    })
    const { sleepAfterMinutes: _, spendCapUsd: __, spendCapUsdPerDay: ___, ...rest } = known
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
    ['spendCapUsdPerDay', -1],
    ['telegramToken', ''],
    ['telegramToken', 'two words'],
    ['telegramToken', 'a\nb'],
    ['discordBotToken', 'x'.repeat(513)],
    ['whatsappToken', 7],
    ['webhookSecret', 'secret'],
    ['webhookSecret', 'whsec_short'],
  ])('rejects a %s of %j, and stays unchanged', async (key, value) => {
    const agent = await on.stopped({ kept: 1 })
    const { status, body } = await on.put(agent, { other: 2, [key]: value })
    expect([status, body]).toEqual([400, { error: expect.stringContaining(key) }])
    expect(await on.web.fleet.row(agent)).toEqual(agent)
  })

  it.each([
    ['no config', {}],
    ['a list', { config: [] }],
    ['a string', { config: 'a' }],
  ])('rejects a body with %s', async (_, body) => {
    const agent = await on.stopped()
    expect((await on.put(agent, {}, { body })).status).toBe(400)
    expect((await on.put(agent, {}, { query: '?apply=perhaps' })).status).toBe(400)
  })

  it('accepts a webhook on this machine only if the platform runs on one machine', async () => {
    const agent = await on.stopped()
    const hook = { webhookUrl: 'http://127.0.0.1:4000/hook' }
    expect((await on.put(agent, hook)).status).toBe(200)
    const deployed = await on.put(agent, hook, { settings: { deployed: true } })
    expect(deployed).toMatchObject({ status: 400, body: { error: expect.stringMatching(/https/) } })
  })

  it('has a size limit over all updates', async () => {
    const agent = await on.stopped()
    expect((await on.put(agent, { a: 'a'.repeat(60_000) })).status).toBe(200)
    expect((await on.put(agent, { b: 'b'.repeat(60_000) })).status).toBe(400)
    expect((await on.web.fleet.row(agent)).config).not.toHaveProperty('b')
  })

  it('gives no user a larger container than they pay for', async () => {
    const agent = await on.stopped()
    const refused = await on.put(agent, { plan: 'network', kept: 1 })
    expect(refused).toMatchObject({ status: 402, body: { code: 'PLAN_REQUIRED' } })
    expect(await on.web.fleet.row(agent)).toEqual(agent)
    expect((await on.put(agent, { plan: 'starter' })).status).toBe(200)
    expect((await on.web.fleet.row(agent)).plan).toBe('solo')
  })

  it.each(['canceled', 'past_due'])(
    'gives no larger container for a plan that is %s',
    async (status) => {
      const user = await on.web.person('network', { status })
      const ctx = trusted(on.web.fleet.services, user)
      const agent = await createAgent(ctx, { name: 'Ada' })
      const refused = await on.put(agent, { plan: 'enterprise' })
      expect(refused).toMatchObject({ status: 402, body: { code: 'PLAN_REQUIRED' } })
      expect(await on.web.fleet.row(agent)).toEqual(agent)
      expect((await on.put(agent, { plan: 'label' })).status).toBe(200)
    },
  )

  it('is readable and writable only by its owner', async () => {
    const agent = await on.stopped({ kept: 1 })
    const user = await on.web.person()
    const answers = await Promise.all([
      on.web.call('GET', `/api/agents/${agent.id}/config`, { user }),
      on.put(agent, { kept: 2 }, { user }),
      on.web.call('GET', '/api/agents/agt_nobody/config', { user }),
    ])
    for (const { status, body } of answers)
      expect([status, body]).toEqual([404, { error: 'Agent not found' }])
    expect((await on.web.call('GET', `/api/agents/${agent.id}/config`)).status).toBe(401)
    expect(
      (await on.web.call('PUT', `/api/agents/${agent.id}/config`, { body: { config: {} } })).status,
    ).toBe(401)
    expect(await on.web.fleet.row(agent)).toEqual(agent)
  })

  it('keeps all of several concurrent changes', async () => {
    const agent = await on.stopped()
    const keys = Array.from({ length: 12 }, (_, n) => `key${n}`)
    const answers = await Promise.all(keys.map((key, n) => on.put(agent, { [key]: n })))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    const { config } = await on.shown(agent)
    expect(config).toEqual(Object.fromEntries(keys.map((key, n) => [key, n])))
  })
})

describe('a change of the config of an agent that runs', () => {
  it('reaches the container by a restart', async () => {
    const agent = await on.running({ systemPrompt: 'Sing.' })
    expect(
      (await on.put(agent, { systemPrompt: 'Dance.', discordBotToken: 'a-token' })).status,
    ).toBe(200)
    expect(await on.web.fleet.row(agent)).toMatchObject({ status: 'provisioning', generation: 2 })
    const again = await on.web.fleet.untilRunning(agent)
    expect(await on.web.fleet.environmentOf(again)).toMatchObject({
      SYSTEM_PROMPT: 'Dance.',
      DISCORD_BOT_TOKEN: 'a-token',
    })
    expect(await on.web.fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('waits for the next start if requested', async () => {
    const agent = await on.running({ systemPrompt: 'Sing.' })
    await on.put(agent, { systemPrompt: 'Dance.' }, { query: '?apply=false' })
    expect(await on.web.fleet.row(agent)).toMatchObject({ status: 'running', generation: 1 })
    expect(on.web.fleet.sent).toEqual([])
    const user = String(agent.userId)
    await on.web.call('POST', `/api/instance/${agent.id}/restart`, { user })
    const again = await on.web.fleet.untilRunning(agent)
    expect(await on.web.fleet.environmentOf(again)).toMatchObject({ SYSTEM_PROMPT: 'Dance.' })
  })

  it('restarts nothing if the container does not use it, or nothing changes', async () => {
    const agent = await on.running({ systemPrompt: 'Sing.', telegramToken })
    for (const config of [
      { systemPrompt: 'Sing.' },
      { telegramToken },
      { spendCapUsd: 5, sleepAfterMinutes: 9, kept: 1, webhookUrl: 'https://example.com' },
    ])
      expect((await on.put(agent, config)).status).toBe(200)
    expect(await on.web.fleet.row(agent)).toMatchObject({ status: 'running', generation: 1 })
  })

  it('waits while provisioning is disabled, since a stopped agent could not restart', async () => {
    const agent = await on.running({ systemPrompt: 'Sing.' })
    const settings = { KILL_SWITCH: true }
    expect((await on.put(agent, { systemPrompt: 'Dance.' }, { settings })).status).toBe(200)
    expect(await on.web.fleet.row(agent)).toMatchObject({
      status: 'running',
      generation: 1,
      config: { systemPrompt: 'Dance.' },
    })
  })
})
