import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ownKeyPlace } from '../../../shared/ai/providers/own-keys.ts'
import { sealer } from '../../../shared/platform/seal.ts'
import { userPartition } from '../../../shared/platform/table/user-store.ts'
import { quotaKey } from '../../../shared/usage/quota/row.ts'
import { agentCaller, keyHolder, type Owner, solo } from '../../../tests/support/ai-callers.ts'
import {
  encryptionKey,
  eventsOf,
  type GatewayOptions,
  hello,
  quotaOf,
  startGateway,
} from '../../../tests/support/gateway.ts'
import { startTestTable, type TestTable } from '../../../tests/support/table.ts'
import {
  type Behaviour,
  delta,
  fails,
  says,
  sendStream,
  startUpstream,
  type Upstream,
  usage,
} from '../../../tests/support/upstream.ts'
import { fromMidMonth } from '../../../tests/support/time.ts'

fromMidMonth()

const model = 'openai/gpt-4o'
const month = new Date().toISOString().slice(0, 7)

let db: TestTable
let platform: Upstream
/** Where own keys lead: each of AI_PROVIDERS is at an address of its own. */
let vendor: Upstream

beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())
beforeEach(async () => {
  platform = await startUpstream()
  vendor = await startUpstream()
  return async () => {
    await platform.close()
    await vendor.close()
  }
})

const startBoth = (names = ['openai'], more: GatewayOptions = {}) =>
  startGateway(db.table, {
    AI_BASE_URL: platform.baseUrl,
    AI_API_KEY: 'platform-key',
    AI_PROVIDERS: JSON.stringify(
      Object.fromEntries(
        names.map((name) => [name, { baseUrl: vendor.baseUrl, apiKey: 'platform-vendor-key' }]),
      ),
    ),
    ...more,
  })

/** A user with keys of their own, as the billing verbs seal them. */
async function withKeys(keys: Record<string, string>, owner: Owner = solo) {
  const user = await keyHolder(db.table, owner)
  await sealFor(user.userId, keys)
  return user
}

async function sealFor(userId: string, keys: Record<string, string>) {
  const { seal } = sealer(encryptionKey)
  const sealed = Object.entries(keys).map(
    async ([name, key]) => [name, await seal(key, ownKeyPlace(userId, name))] as const,
  )
  const byok = Object.fromEntries(await Promise.all(sealed))
  await db.table.update({ pk: userPartition(userId), sk: 'profile' }, { set: { byok } })
}

describe('a user’s own key', () => {
  it('serves that user’s calls, in usage and cost but not in the plan’s tokens', async () => {
    vendor.serve('gpt-4o', says('own', usage(1000, 100)))
    const gateway = startBoth()
    const { userId, headers } = await withKeys({ openai: 'sk-own' })
    const answer = await gateway.aiChat({ ...hello, model }, { headers })
    expect(await answer.json()).toMatchObject({
      model,
      provider: 'openai',
      message: { content: 'own' },
    })
    expect(vendor.asked.map(({ authorization }) => authorization)).toEqual(['Bearer sk-own'])
    expect(platform.asked).toEqual([])
    expect(await eventsOf(db.table, userId)).toEqual([
      expect.objectContaining({
        model,
        provider: 'openai',
        inputTokens: 1000,
        outputTokens: 100,
        costUsd: 0.0035,
      }),
    ])
    expect(await quotaOf(db.table, userId)).toMatchObject({
      used: 0,
      committed: 0,
      usedMicroUsd: 3500,
      committedMicroUsd: 3500,
    })
  })

  it('serves every caller that acts for its user, and no other user', async () => {
    vendor.serve('gpt-4o', says('own', usage(1, 1)))
    const gateway = startBoth()
    const { userId } = await withKeys({ openai: 'sk-own' })
    const other = await keyHolder(db.table, solo)
    const agent = await agentCaller(db.table, solo)
    await sealFor(agent.userId ?? '', { openai: 'sk-agents' })
    await gateway.chat({ ...hello, model }, { headers: { 'x-user-id': userId } })
    await gateway.chat({ ...hello, model }, { headers: other.headers })
    await gateway.chat({ ...hello, model }, { headers: agent.headers })
    expect(vendor.asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer sk-own',
      'Bearer platform-vendor-key',
      'Bearer sk-agents',
    ])
  })

  it.each([401, 402, 429, 500])(
    'that is answered %i gives way to the platform’s',
    async (status) => {
      vendor.serve('gpt-4o', (response, asked) =>
        asked.authorization === 'Bearer sk-own'
          ? fails(status)(response, asked)
          : says('platform', usage(10, 5))(response, asked),
      )
      const gateway = startBoth()
      const { userId, headers } = await withKeys({ openai: 'sk-own' })
      const answer = await gateway.aiChat({ ...hello, model }, { headers })
      expect(await answer.json()).toMatchObject({ model, message: { content: 'platform' } })
      // The platform's tokens count again.
      expect(await quotaOf(db.table, userId)).toMatchObject({ used: 15, committed: 15 })
    },
  )

  it('goes on once the plan’s tokens are used up, and then alone', async () => {
    vendor.serve('gpt-4o', (response, asked) =>
      asked.authorization === 'Bearer sk-own'
        ? says('own', usage(10, 5))(response, asked)
        : fails(500)(response, asked),
    )
    const gateway = startBoth()
    const { userId, headers } = await withKeys({ openai: 'sk-own' })
    const full = { used: 2_000_000, committed: 2_000_000 }
    await db.table.put({ ...quotaKey(userId, month), ...full })
    expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    expect(await quotaOf(db.table, userId)).toMatchObject(full)
    const other = { ...hello, model: 'google/gemini-2.0-flash' }
    expect((await gateway.chat(other, { headers })).status).toBe(429)
    vendor.serve('gpt-4o', fails(500))
    expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(502)
    expect(platform.asked).toEqual([])
    expect(new Set(vendor.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer sk-own']),
    )
  })

  it('is held to the spend cap', async () => {
    vendor.serve('gpt-4o', says('own', usage(1000, 100)))
    const gateway = startBoth()
    const { headers } = await withKeys({ openai: 'sk-own' }, { ...solo, spendCapUsd: 0.003 })
    expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    const refused = await gateway.chat({ ...hello, model }, { headers })
    expect(await refused.json()).toMatchObject({ error: { code: 'SPEND_CAP_REACHED' } })
  })

  it('opens no model outside the plan’s set', async () => {
    const { headers } = await withKeys({ openai: 'sk-own' })
    const answer = await startBoth().chat({ ...hello, model: 'openai/o1' }, { headers })
    expect(answer.status).toBe(403)
    expect(vendor.asked).toEqual([])
  })

  describe('at a model that the platform does not list', () => {
    const secret = 'openai/secret'

    /** What a user of plan network gets; the platform's own key would be served. */
    async function ask(ownKeyIs: Behaviour, body: object = {}) {
      vendor.list([{ id: 'gpt-4o' }])
      for (const name of ['secret', 'gpt-4o', 'gpt-4o-mini'])
        vendor.serve(name, (response, asked) =>
          asked.authorization === 'Bearer sk-own'
            ? ownKeyIs(response, asked)
            : says('platform', usage(1, 1))(response, asked),
        )
      const owner = { plan: 'network', status: 'active' as const }
      const { headers, userId } = await withKeys({ openai: 'sk-own' }, owner)
      const answer = await startBoth().chat({ ...hello, model: secret, ...body }, { headers })
      const keys = new Set(vendor.asked.map(({ authorization }) => authorization))
      expect(keys).toEqual(new Set(['Bearer sk-own']))
      expect(platform.asked).toEqual([])
      return { status: answer.status, text: await answer.text(), userId }
    }

    it('is served by it', async () => {
      const { status, text } = await ask(says('own', usage(1, 1)))
      expect(status).toBe(200)
      expect(text).toContain('own')
    })

    it.each(
      [401, 402, 403, 404].flatMap((status) => [[status, false] as const, [status, true] as const]),
    )(
      'opens nothing at the platform’s cost where it is answered %i, streamed: %s',
      async (refused, stream) => {
        const { status, text, userId } = await ask(fails(refused), { stream })
        expect(status).toBe(404)
        expect(JSON.parse(text)).toMatchObject({ error: { code: 'MODEL_NOT_FOUND' } })
        expect(await eventsOf(db.table, userId)).toEqual([])
      },
    )

    it.each([429, 500])('is alone with its failure where it is answered %i', async (failed) => {
      const { status, text } = await ask(fails(failed))
      expect(status).toBe(502)
      expect(JSON.parse(text)).toMatchObject({
        error: { attempts: [{ model: secret, status: failed }] },
      })
    })
  })

  it('at the routing provider’s peer takes every id but those of other providers', async () => {
    vendor.serve(model, says('own', usage(1, 1)))
    vendor.serve('meta-llama/llama-3.3-70b-instruct', says('own', usage(1, 1)))
    vendor.serve('m', says('acme', usage(1, 1)))
    const gateway = startBoth(['openrouter', 'acme'])
    const owner = { plan: 'network', status: 'active' as const }
    const { headers } = await withKeys({ openrouter: 'sk-or' }, owner)
    for (const asked of [model, 'auto', 'acme/m'])
      expect((await gateway.chat({ ...hello, model: asked }, { headers })).status).toBe(200)
    expect(vendor.asked.map(({ model, authorization }) => [model, authorization])).toEqual([
      [model, 'Bearer sk-or'],
      ['meta-llama/llama-3.3-70b-instruct', 'Bearer sk-or'],
      ['m', 'Bearer platform-vendor-key'],
    ])
    expect(platform.asked).toEqual([])
  })

  it('works where the platform has no provider of its own', async () => {
    vendor.serve('meta-llama/llama-3.3-70b-instruct', says('own', usage(1, 1)))
    const gateway = startBoth(['openrouter'], { AI_BASE_URL: undefined })
    const { headers } = await withKeys({ openrouter: 'sk-or' })
    expect(await (await gateway.chat(hello, { headers })).json()).toMatchObject({
      model: 'meta-llama/llama-3.3-70b-instruct',
    })
  })

  it.each(['before', 'in the middle of'])(
    'that its provider repeats %s an answer reaches neither caller nor log',
    async (when) => {
      const message = 'Incorrect API key provided: sk-own'
      vendor.serve('gpt-4o', (response, asked) =>
        when === 'before'
          ? fails(400, message)(response, asked)
          : sendStream(response, [delta({ content: 'x' }), { error: { message } }]),
      )
      const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
      try {
        const { headers } = await withKeys({ openai: 'sk-own' })
        const body = { ...hello, model, stream: when !== 'before' }
        const said = await (await startBoth().chat(body, { headers })).text()
        expect(said).toContain('Incorrect API key provided: …')
        expect(said + lines.mock.calls.flat().join('\n')).not.toContain('sk-own')
      } finally {
        lines.mockRestore()
      }
    },
  )

  it.each([
    ['by another key', async () => sealer('another key of thirty-two letters').seal('sk-own', 'x')],
    [
      'for another user',
      async (id: string) => sealer(encryptionKey).seal('sk-own', ownKeyPlace(`${id}x`, 'openai')),
    ],
    ['by nobody', async () => 'sk-own'],
  ])('that was sealed %s is passed over, and told of without a word of it', async (_, seal) => {
    vendor.serve('gpt-4o', says('platform', usage(1, 1)))
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      const gateway = startBoth()
      const { userId, headers } = await keyHolder(db.table, solo)
      const byok = { openai: await seal(userId) }
      await db.table.update({ pk: userPartition(userId), sk: 'profile' }, { set: { byok } })
      expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
      expect(vendor.asked[0]?.authorization).toBe('Bearer platform-vendor-key')
      const log = lines.mock.calls.flat().join('\n')
      expect(log).toContain('cannot be used')
      expect(log).not.toContain('sk-own')
    } finally {
      lines.mockRestore()
    }
  })
})
