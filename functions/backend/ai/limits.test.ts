import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentQuotaKey, quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { textOf, readStream } from '#tests/support/ai/streams.ts'
import {
  type CompletionCall,
  type Behaviour,
  delta,
  says,
  sendJson,
  sendStream,
  usage,
} from '#tests/support/ai/upstream.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const on = useGateway()

let models = 0
/** Each test uses its own model, because the gateway remembers how a model treats limits. */
const newModel = () => `m${models++}`

type Field = 'max_completion_tokens' | 'max_tokens'

/** A model that sends this many tokens, one per chunk. */
interface Nature {
  /** The limit fields that it supports. */
  obeys: readonly Field[]
  /** `both`: rejects requests with both fields. A field: rejects every request with it. */
  refuses?: 'both' | Field
  words?: number
  /** Reasoning tokens before the first output token. The usage includes them. */
  thinks?: number
  counts?: boolean
}

const most = 40_000

function modelOf({ obeys, refuses, words = most, thinks = 0, counts = true }: Nature) {
  const result = { words: 0, abandoned: 0 }
  const behaviour: Behaviour = async (response, { body }) => {
    const sent = (['max_tokens', 'max_completion_tokens'] as const).filter((name) => name in body)
    if (refuses === 'both' ? sent.length === 2 : sent.includes(refuses as Field)) {
      const names = refuses === 'both' ? sent.join(' and ') : refuses
      const message = `${names} cannot be set`
      return sendJson(response, 400, { error: { message, type: 'invalid_request_error' } })
    }
    const limits = obeys.filter((name) => name in body).map((name) => Number(body[name]))
    const length = Math.min(words, ...limits.map((limit) => Math.max(0, limit - thinks)))
    const count = usage(10, length + thinks, {
      completion_tokens_details: { reasoning_tokens: thinks },
    })
    if (body['stream'] !== true) {
      result.words += length
      const finish_reason = length < words ? 'length' : 'stop'
      const message = { role: 'assistant', content: 'word '.repeat(length) }
      const choices = [{ index: 0, message, finish_reason }]
      return sendJson(response, 200, { choices, ...(counts && { usage: count }) })
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let i = 0; i < length; i++) {
      if (response.destroyed) {
        result.abandoned++
        return
      }
      result.words++
      response.write(`data: ${JSON.stringify(delta({ content: 'word ' }))}\n\n`)
      if (i % 16 === 0) await new Promise(setImmediate)
    }
    const last = counts ? [{ choices: [], usage: count }] : []
    for (const event of [delta({}, length < words ? 'length' : 'stop'), ...last])
      response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
  return { behaviour, told: result }
}

/** $2.50 and $10 a million. */
const priced = (id: string) => ({ id, pricing: { prompt: '0.0000025', completion: '0.00001' } })

function serve(nature: Nature) {
  const name = newModel()
  const { behaviour, told } = modelOf(nature)
  on.upstream.serve(name, behaviour)
  on.upstream.list([priced(name)])
  return { model: name, told }
}

const month = new Date().toISOString().slice(0, 7)
const network = { plan: 'network', status: 'active' as const }
const spentBy = async (userId: string) =>
  toQuota(await on.table.get(quotaKey(userId, month))).microUsd

describe('an answer never exceeds its reservation', () => {
  it.each<[string, Nature]>([
    ['supports only max_tokens', { obeys: ['max_tokens'] }],
    ['supports only max_completion_tokens', { obeys: ['max_completion_tokens'] }],
    ['supports neither limit', { obeys: [] }],
    ['supports neither limit and counts no tokens', { obeys: [], counts: false }],
    ['rejects both fields together', { obeys: ['max_tokens'], refuses: 'both' }],
    ['rejects max_tokens', { obeys: ['max_completion_tokens'], refuses: 'max_tokens' }],
    ['rejects max_completion_tokens', { obeys: ['max_tokens'], refuses: 'max_completion_tokens' }],
    ['thinks endlessly', { obeys: [], words: 1, thinks: most }],
  ])(
    'an answer of a model that %s never exceeds its reservation: 12 concurrent calls stay within the cap',
    async (_, nature) => {
      const { model } = serve(nature)
      const { userId, headers } = await keyHolder(on.table, { ...network, spendCapUsd: 0.1 })
      const body = { ...hello, model, max_tokens: 1 }
      const calls = Array.from({ length: 12 }, async (_, i) => {
        const response = await on.gateway.chat({ ...body, stream: i % 2 === 1 }, { headers })
        expect(response.status).toBe(200)
        return response.text()
      })
      for (const text of await Promise.all(calls)) {
        expect(text.length).toBeLessThan(2000)
        if (nature.thinks === undefined) expect(text).toContain('"length"')
      }
      const events = await eventually(async () => {
        const found = await eventsOf(on.table, userId)
        expect(found).toHaveLength(12)
        return found
      })
      for (const { outputTokens } of events) expect(outputTokens).toBeLessThanOrEqual(1)
      const { used, committed } = await spentBy(userId)
      expect(used).toBeLessThan(12 * 200)
      expect(committed).toBe(used)
    },
  )

  it.each([false, true])(
    'an answer that reaches its reservation reports that it was truncated: stream %s',
    async (stream) => {
      const { model, told } = serve({ obeys: [] })
      const { userId, headers } = await keyHolder(on.table, network)
      const body = { ...hello, model, max_tokens: 20, stream }
      const response = await on.gateway.chat(body, { headers })
      if (stream) {
        const { events } = await readStream(response)
        expect(events.at(-1)?.data).toBe('[DONE]')
        expect(textOf(events)).toBe('word '.repeat(20))
        const finish = events.flatMap(({ data }) =>
          data === '[DONE]' ? [] : JSON.parse(data).choices.map((c: never) => c['finish_reason']),
        )
        expect(finish.at(-1)).toBe('length')
        await on.upstream.asked[0]?.abandoned
        expect(told.words).toBeLessThan(most)
      } else {
        expect(await response.json()).toMatchObject({
          choices: [{ message: { content: 'word '.repeat(20) }, finish_reason: 'length' }],
          usage: { completion_tokens: 20 },
        })
        // The next request is streamed and ended at the limit.
        const next = await on.gateway.chat(body, { headers })
        expect(await next.json()).toMatchObject({
          choices: [{ message: { content: 'word '.repeat(20) }, finish_reason: 'length' }],
        })
        await on.upstream.asked[1]?.abandoned
        expect(told.words).toBeLessThan(2 * most)
      }
      const [event] = await eventsOf(on.table, userId)
      expect(event).toMatchObject({ outputTokens: 20, success: true })
    },
  )

  it('an answer within its limit arrives whole, in any language and chunk size', async () => {
    const { headers } = await keyHolder(on.table, network)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('word ', 'Donaudampfschiff', 'नमस', '漢', '                '),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (token, tokens, together) => {
          const model = newModel()
          const text = token.repeat(tokens)
          const size = token.length * together
          const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
          on.upstream.list([priced(model)])
          on.upstream.serve(model, (response) =>
            sendStream(response, [
              ...pieces.map((content) => delta({ content })),
              delta({}, 'stop'),
              { choices: [], usage: usage(5, tokens) },
              '[DONE]',
            ]),
          )
          const body = { ...hello, model, max_tokens: tokens, stream: true }
          // The list of models is kept for ten minutes.
          on.gateway = startGateway(on.table, { AI_BASE_URL: on.upstream.baseUrl })
          const { events } = await readStream(await on.gateway.chat(body, { headers }))
          expect(textOf(events)).toBe(text)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('`limitField` of an entry of AI_PROVIDERS names the field of the limit; a wrong name stops the start', async () => {
    const entry = (limitField: string) =>
      JSON.stringify({ acme: { baseUrl: on.upstream.baseUrl, limitField } })
    on.upstream.serve('m', says('x', usage(1, 1)))
    for (const [field, sent] of [
      ['max_tokens', ['max_tokens']],
      ['max_completion_tokens', ['max_completion_tokens']],
      ['both', ['max_tokens', 'max_completion_tokens']],
    ] as const) {
      on.gateway = startGateway(on.table, { AI_PROVIDERS: entry(field) })
      const { headers } = await keyHolder(on.table, network)
      await on.gateway.chat({ ...hello, model: 'acme/m', max_tokens: 7 }, { headers })
      const body = on.upstream.asked.at(-1)?.body ?? {}
      expect(
        Object.keys(body)
          .filter((name) => name.startsWith('max_'))
          .sort(),
      ).toEqual([...sent].sort())
    }
    expect(() => startGateway(on.table, { AI_PROVIDERS: entry('max') })).toThrow(/AI_PROVIDERS/)
  })

  it('a limit that the caller did not choose is lowered to the model’s maximum', async () => {
    const model = newModel()
    on.upstream.list([priced(model)])
    on.upstream.serve(model, (response, asked: CompletionCall) => {
      const limit = Number(asked.body['max_tokens'])
      if (limit <= 4096) return says('x', usage(1, 1))(response, asked)
      const message = `max_tokens is too large: ${limit}. This model supports at most 4096 completion tokens, whereas you provided ${limit}.`
      return sendJson(response, 400, { error: { message } })
    })
    const { headers } = await keyHolder(on.table, { ...network, spendCapUsd: 5 })
    for (const status of [200, 200])
      expect((await on.gateway.chat({ ...hello, model }, { headers })).status).toBe(status)
    expect(on.upstream.asked.map(({ body }) => body['max_tokens'])).toEqual([16_384, 4096, 4096])
    const asked = await on.gateway.chat({ ...hello, model, max_tokens: 5000 }, { headers })
    expect(asked.status).toBe(400)
  })
})

describe('without a limit of the caller’s', () => {
  const model = 'openai/gpt-4o'
  const limitOf = async (headers: Record<string, string>) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    expect((await on.gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    return Number(on.upstream.asked.at(-1)?.body['max_tokens'])
  }

  it('the model gets the rest of the quota as its limit if that is less than 16,384', async () => {
    const { userId, headers } = await keyHolder(on.table, solo)
    const used = 2_000_000 - 5000
    await on.table.put({ ...quotaKey(userId, month), used, committed: used })
    const told = await limitOf(headers)
    expect(told).toBeGreaterThan(4900)
    expect(told).toBeLessThan(5000)
    expect(toQuota(await on.table.get(quotaKey(userId, month))).tokens.committed).toBe(used + 2)
  })

  it('the model gets the rest of a cap as its limit, the user’s or the agent’s', async () => {
    // The most expensive candidate costs $30 a million.
    const user = await keyHolder(on.table, { ...network, spendCapUsd: 0.05 })
    const told = await limitOf(user.headers)
    expect(told).toBeGreaterThan(1600)
    expect(told).toBeLessThanOrEqual(1667)
    const agent = await agentCaller(on.table, solo, { config: { spendCapUsd: 0.02 } })
    const agentTold = await limitOf(agent.headers)
    expect(agentTold).toBeGreaterThan(600)
    expect(agentTold).toBeLessThanOrEqual(2000)
    const key = agentQuotaKey(agent.userId ?? '', agent.agentId, month)
    const { used, committed } = toQuota(await on.table.get(key)).microUsd
    expect(committed).toBe(used)
  })
})
