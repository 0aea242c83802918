import { describe, expect, it, vi } from 'vitest'
import { ownKeyPlace } from '#shared/ai/gateway/providers/own-keys.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { sealer } from '#shared/platform/seal.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { encryptionKey, eventsOf, hello, quotaOf } from '#tests/support/ai/gateway.ts'
import { useOwnKeys } from '#tests/support/ai/own-keys.ts'
import {
  type Behaviour,
  delta,
  fails,
  says,
  sendStream,
  usage,
} from '#tests/support/ai/upstream.ts'
import { creditsOf, grantCredits } from '#tests/support/billing/credits.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const model = 'openai/gpt-4o'
const month = new Date().toISOString().slice(0, 7)

const on = useOwnKeys()

describe('a user’s own key', () => {
  it('serves that user’s calls, and counts in usage and cost but not in the plan’s tokens', async () => {
    on.vendor.serve('gpt-4o', says('own', usage(1000, 100)))
    const gateway = on.startBoth()
    const { userId, headers } = await on.withKeys({ openai: 'sk-own' })
    const answer = await gateway.aiChat({ ...hello, model }, { headers })
    expect(await answer.json()).toMatchObject({
      model,
      provider: 'openai',
      message: { content: 'own' },
    })
    expect(on.vendor.asked.map(({ authorization }) => authorization)).toEqual(['Bearer sk-own'])
    expect(on.platform.asked).toEqual([])
    expect(await eventsOf(on.table, userId)).toEqual([
      expect.objectContaining({
        model,
        provider: 'openai',
        inputTokens: 1000,
        outputTokens: 100,
        costUsd: 0.0035,
      }),
    ])
    expect(await quotaOf(on.table, userId)).toMatchObject({
      used: 0,
      committed: 0,
      usedMicroUsd: 3500,
      committedMicroUsd: 3500,
    })
  })

  it('serves every caller that acts for its user, and no other user', async () => {
    on.vendor.serve('gpt-4o', says('own', usage(1, 1)))
    const gateway = on.startBoth()
    const { userId } = await on.withKeys({ openai: 'sk-own' })
    const other = await keyHolder(on.table, solo)
    const agent = await agentCaller(on.table, solo)
    await on.sealFor(agent.userId ?? '', { openai: 'sk-agents' })
    await gateway.chat({ ...hello, model }, { headers: { 'x-user-id': userId } })
    await gateway.chat({ ...hello, model }, { headers: other.headers })
    await gateway.chat({ ...hello, model }, { headers: agent.headers })
    expect(on.vendor.asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer sk-own',
      'Bearer platform-vendor-key',
      'Bearer sk-agents',
    ])
  })

  it.each([401, 402, 429, 500])(
    'rejected with %i is replaced by the platform’s key',
    async (status) => {
      on.vendor.serve('gpt-4o', (response, asked) =>
        asked.authorization === 'Bearer sk-own'
          ? fails(status)(response, asked)
          : says('platform', usage(10, 5))(response, asked),
      )
      const gateway = on.startBoth()
      const { userId, headers } = await on.withKeys({ openai: 'sk-own' })
      const answer = await gateway.aiChat({ ...hello, model }, { headers })
      expect(await answer.json()).toMatchObject({ model, message: { content: 'platform' } })
      // The platform's tokens count again.
      expect(await quotaOf(on.table, userId)).toMatchObject({ used: 15, committed: 15 })
    },
  )

  it('continues once the plan’s tokens are used up, without the platform’s key', async () => {
    on.vendor.serve('gpt-4o', (response, asked) =>
      asked.authorization === 'Bearer sk-own'
        ? says('own', usage(10, 5))(response, asked)
        : fails(500)(response, asked),
    )
    const gateway = on.startBoth()
    const { userId, headers } = await on.withKeys({ openai: 'sk-own' })
    const full = { used: 2_000_000, committed: 2_000_000 }
    await on.table.put({ ...quotaKey(userId, month), ...full })
    expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    expect(await quotaOf(on.table, userId)).toMatchObject(full)
    const other = { ...hello, model: 'google/gemini-2.0-flash' }
    expect((await gateway.chat(other, { headers })).status).toBe(429)
    on.vendor.serve('gpt-4o', fails(500))
    expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(502)
    expect(on.platform.asked).toEqual([])
    expect(new Set(on.vendor.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer sk-own']),
    )
  })

  it('takes no credits, within the plan’s tokens and above', async () => {
    on.vendor.serve('gpt-4o', says('own', usage(1000, 100)))
    const gateway = on.startBoth()
    const { userId, headers } = await on.withKeys({ openai: 'sk-own' })
    await grantCredits(on.table, userId, 1)
    for (const used of [1_999_999, 2_000_000]) {
      await on.table.put({ ...quotaKey(userId, month), used, committed: used })
      expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    }
    expect(await creditsOf(on.table, userId)).toMatchObject({ balance: 100_000, held: 0 })
    expect(await eventsOf(on.table, userId)).toHaveLength(2)
  })

  it('is limited by the spend cap', async () => {
    on.vendor.serve('gpt-4o', says('own', usage(1000, 100)))
    const gateway = on.startBoth()
    const { headers } = await on.withKeys({ openai: 'sk-own' }, { ...solo, spendCapUsd: 0.003 })
    expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    const refused = await gateway.chat({ ...hello, model }, { headers })
    expect(await refused.json()).toMatchObject({ error: { code: 'SPEND_CAP_REACHED' } })
  })

  it('does not list models, because all users share the list of a provider', async () => {
    on.vendor.list([{ id: 'gpt-4o' }])
    on.vendor.serve('gpt-4o', says('own', usage(1, 1)))
    const gateway = on.startBoth()
    const network = { plan: 'network', status: 'active' as const }
    const { headers } = await on.withKeys({ openai: 'sk-own' }, network)
    expect((await gateway.chat({ ...hello, model: 'gpt-4o' }, { headers })).status).toBe(200)
    expect(new Set(on.vendor.listers)).toEqual(new Set(['Bearer platform-vendor-key']))
  })

  it('opens no model outside the plan’s set', async () => {
    const { headers } = await on.withKeys({ openai: 'sk-own' })
    const answer = await on.startBoth().chat({ ...hello, model: 'openai/o1' }, { headers })
    expect(answer.status).toBe(403)
    expect(on.vendor.asked).toEqual([])
  })

  describe('for a model that the platform does not list', () => {
    const secret = 'openai/secret'

    /** Sends a request as a user of plan network. The platform's own key works. */
    async function ask(ownKeyIs: Behaviour, body: object = {}) {
      on.vendor.list([{ id: 'gpt-4o' }])
      for (const name of ['secret', 'gpt-4o', 'gpt-4o-mini'])
        on.vendor.serve(name, (response, asked) =>
          asked.authorization === 'Bearer sk-own'
            ? ownKeyIs(response, asked)
            : says('platform', usage(1, 1))(response, asked),
        )
      const owner = { plan: 'network', status: 'active' as const }
      const { headers, userId } = await on.withKeys({ openai: 'sk-own' }, owner)
      const answer = await on.startBoth().chat({ ...hello, model: secret, ...body }, { headers })
      const keys = new Set(on.vendor.asked.map(({ authorization }) => authorization))
      expect(keys).toEqual(new Set(['Bearer sk-own']))
      expect(on.platform.asked).toEqual([])
      return { status: answer.status, text: await answer.text(), userId }
    }

    it('serves it', async () => {
      const { status, text } = await ask(says('own', usage(1, 1)))
      expect(status).toBe(200)
      expect(text).toContain('own')
    })

    it.each(
      [401, 402, 403, 404].flatMap((status) => [[status, false] as const, [status, true] as const]),
    )('never uses the platform’s key after a status %i, streamed: %s', async (refused, stream) => {
      const { status, text, userId } = await ask(fails(refused), { stream })
      expect(status).toBe(404)
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'MODEL_NOT_FOUND' } })
      expect(await eventsOf(on.table, userId)).toEqual([])
    })

    it.each([429, 500])('returns its own failure after a status %i', async (failed) => {
      const { status, text } = await ask(fails(failed))
      expect(status).toBe(502)
      expect(JSON.parse(text)).toMatchObject({
        error: { attempts: [{ model: secret, status: failed }] },
      })
    })
  })

  it('a user’s own key for the routing provider accepts every model id except other providers’ ids', async () => {
    on.vendor.serve(model, says('own', usage(1, 1)))
    on.vendor.serve('meta-llama/llama-3.3-70b-instruct', says('own', usage(1, 1)))
    on.vendor.serve('m', says('acme', usage(1, 1)))
    const gateway = on.startBoth(['openrouter', 'acme'])
    const owner = { plan: 'network', status: 'active' as const }
    const { headers } = await on.withKeys({ openrouter: 'sk-or' }, owner)
    for (const request of [model, 'auto', 'acme/m'])
      expect((await gateway.chat({ ...hello, model: request }, { headers })).status).toBe(200)
    expect(on.vendor.asked.map(({ model, authorization }) => [model, authorization])).toEqual([
      [model, 'Bearer sk-or'],
      ['meta-llama/llama-3.3-70b-instruct', 'Bearer sk-or'],
      ['m', 'Bearer platform-vendor-key'],
    ])
    expect(on.platform.asked).toEqual([])
  })

  it('works if the platform has no provider of its own', async () => {
    on.vendor.serve('meta-llama/llama-3.3-70b-instruct', says('own', usage(1, 1)))
    const gateway = on.startBoth(['openrouter'], { AI_BASE_URL: undefined })
    const { headers } = await on.withKeys({ openrouter: 'sk-or' })
    expect(await (await gateway.chat(hello, { headers })).json()).toMatchObject({
      model: 'meta-llama/llama-3.3-70b-instruct',
    })
  })

  it.each(['before', 'in the middle of'])(
    'a user’s own key that its provider repeats %s an answer appears in neither answer nor log',
    async (when) => {
      const message = 'Incorrect API key provided: sk-own'
      on.vendor.serve('gpt-4o', (response, asked) =>
        when === 'before'
          ? fails(400, message)(response, asked)
          : sendStream(response, [delta({ content: 'x' }), { error: { message } }]),
      )
      const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
      try {
        const { headers } = await on.withKeys({ openai: 'sk-own' })
        const body = { ...hello, model, stream: when !== 'before' }
        const text = await (await on.startBoth().chat(body, { headers })).text()
        expect(text).toContain('Incorrect API key provided: …')
        expect(text + lines.mock.calls.flat().join('\n')).not.toContain('sk-own')
      } finally {
        lines.mockRestore()
      }
    },
  )

  it('a user’s own key that its provider repeats in a failed response appears in neither answer nor log', async () => {
    const error = { code: 'invalid_api_key', message: 'Incorrect API key provided: sk-own' }
    const events = [
      { type: 'response.output_text.delta', delta: 'x' },
      { type: 'response.failed', response: { status: 'failed', output: [], error } },
    ]
    on.vendor.serve('gpt-4o', (response) => sendStream(response, events))
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      const { headers } = await on.withKeys({ openai: 'sk-own' })
      const gateway = on.startBoth(['openai'], {}, { speaks: ['responses'] })
      const answer = await gateway.responses({ model, input: 'Hi', stream: true }, { headers })
      const text = await answer.text()
      expect(text).toContain('Incorrect API key provided: …')
      expect(text + lines.mock.calls.flat().join('\n')).not.toContain('sk-own')
    } finally {
      lines.mockRestore()
    }
  })

  it.each([
    [
      'with another key',
      async () => sealer('another key of thirty-two letters').seal('sk-own', 'x'),
    ],
    [
      'for another user',
      async (id: string) => sealer(encryptionKey).seal('sk-own', ownKeyPlace(`${id}x`, 'openai')),
    ],
    ['without a key', async () => 'sk-own'],
  ])(
    'a user’s own key that was sealed %s is skipped, and logged without its content',
    async (_, seal) => {
      on.vendor.serve('gpt-4o', says('platform', usage(1, 1)))
      const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
      try {
        const gateway = on.startBoth()
        const { userId, headers } = await keyHolder(on.table, solo)
        const byok = { openai: await seal(userId) }
        await on.table.update({ pk: userPartition(userId), sk: 'profile' }, { set: { byok } })
        expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
        expect(on.vendor.asked[0]?.authorization).toBe('Bearer platform-vendor-key')
        const log = lines.mock.calls.flat().join('\n')
        expect(log).toContain('cannot be used')
        expect(log).not.toContain('sk-own')
      } finally {
        lines.mockRestore()
      }
    },
  )
})
