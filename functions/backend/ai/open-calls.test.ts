import { describe, expect, it, vi } from 'vitest'
import { monthOf } from '#shared/ai/usage/month.ts'
import { quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { agentCaller, keyHolder, type Owner, solo } from '#tests/support/ai/callers.ts'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'

/** contract.md 20 */
const most = 100

const on = useGateway()
const model = 'openai/gpt-4o'
const failing = 'openai/gpt-4o-mini'

type Headers = Record<string, string>

/** Starts calls whose model does not answer until `finish`. */
async function openCalls(count: number, headersOf: (i: number) => Headers) {
  const answers: (() => void)[] = []
  on.upstream.serve(model, async (response, asked) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return says('x', usage(1, 1))(response, asked)
  })
  const calls = Array.from({ length: count }, (_, i) =>
    on.gateway.chat({ ...hello, model }, { headers: headersOf(i) }),
  )
  await vi.waitUntil(() => answers.length === count, { timeout: 30_000 })
  return {
    async finishOne() {
      answers.shift()?.()
      await Promise.race(calls)
    },
    async finish() {
      for (const answer of answers) answer()
      return (await Promise.all(calls)).map(({ status }) => status)
    },
  }
}

const openOf = async (userId: string) =>
  toQuota(await on.table.get(quotaKey(userId, monthOf(Date.now())))).open

const refusedFor = async (headers: Headers) => {
  const answer = await on.gateway.chat({ ...hello, model }, { headers })
  const { error } = (await answer.json()) as { error: { code: string } }
  return [answer.status, error.code, answer.headers.get('retry-after')]
}

const network: Owner = { ...solo, plan: 'network' }
const capped: Owner = { ...solo, spendCapUsd: 100_000 }

describe('open calls of models', () => {
  it.each([
    ['with a quota', solo],
    ['with a spend cap', capped],
    ['without a limit', network],
  ])('a user %s has at most 100 open calls, over all keys and agents', async (_, owner) => {
    const { userId, headers } = await keyHolder(on.table, owner)
    const agent = await agentCaller(on.table, owner, { userId, config: { spendCapUsd: 100_000 } })
    const open = await openCalls(most, (i) => (i % 2 === 0 ? headers : agent.headers))
    expect(await refusedFor(headers)).toEqual([429, 'TOO_MANY_OPEN', '10'])
    expect(await refusedFor(agent.headers)).toEqual([429, 'TOO_MANY_OPEN', '10'])
    const other = await on.gateway.aiChat({ ...hello, model }, { headers })
    expect([other.status, await other.json()]).toEqual([
      429,
      {
        success: false,
        error: '100 calls of models are open; close one first',
        code: 'TOO_MANY_OPEN',
      },
    ])
    const neighbour = await keyHolder(on.table, owner)
    const also = await openCalls(1, () => neighbour.headers)
    expect(await also.finish()).toEqual([200])
    await open.finishOne()
    const next = await openCalls(1, () => headers)
    expect(await refusedFor(headers)).toEqual([429, 'TOO_MANY_OPEN', '10'])
    expect(await next.finish()).toEqual([200])
    expect(new Set(await open.finish())).toEqual(new Set([200]))
    expect((await openOf(userId)).committed).toBe(0)
  })

  it('are never more than 100 under concurrent requests', async () => {
    const { userId, headers } = await keyHolder(on.table, network)
    let asked = 0
    const waiting = Promise.withResolvers<void>()
    on.upstream.serve(model, async (response, call) => {
      asked++
      await waiting.promise
      return says('x', usage(1, 1))(response, call)
    })
    const refused: number[] = []
    const calls = Array.from({ length: most + 30 }, async () => {
      const { status } = await on.gateway.chat({ ...hello, model }, { headers })
      if (status !== 200) refused.push(status)
    })
    await vi.waitUntil(() => asked + refused.length === calls.length, { timeout: 30_000 })
    waiting.resolve()
    await Promise.all(calls)
    expect(asked).toBe(most)
    expect(refused).toEqual(Array.from({ length: 30 }, () => 429))
    expect((await openOf(userId)).committed).toBe(0)
  })

  it('end with a failure, and with a caller that disconnects', async () => {
    const { userId, headers } = await keyHolder(on.table, network)
    on.upstream.serve(failing, fails(500))
    expect((await on.gateway.chat({ ...hello, model: failing }, { headers })).status).toBe(502)
    expect((await openOf(userId)).committed).toBe(0)
    on.upstream.serve(model, says('hello', usage(1, 5)))
    const left = await on.gateway.chat({ ...hello, model, stream: true }, { headers })
    const reader = left.body!.getReader()
    await reader.read()
    expect((await openOf(userId)).committed).toBe(1)
    await reader.cancel()
    await vi.waitUntil(async () => (await openOf(userId)).committed === 0)
  })

  it('the slot of a killed process is free within three minutes, and a renewed slot is not', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() })
    try {
      const { userId, headers } = await keyHolder(on.table, network)
      // A killed process renews no slots.
      const renewals = vi.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never)
      const killed = await openCalls(most - 1, () => headers)
      renewals.mockRestore()
      const open = await openCalls(1, () => headers)
      expect((await refusedFor(headers))[0]).toBe(429)
      for (let minutes = 0; minutes < 3; minutes++) {
        const before = [...(await openOf(userId)).held.keys()].join()
        vi.advanceTimersByTime(60_000)
        await vi.waitUntil(async () => [...(await openOf(userId)).held.keys()].join() !== before, {
          timeout: 15_000,
        })
      }
      const next = await openCalls(1, () => headers)
      expect((await openOf(userId)).committed).toBe(2)
      await Promise.all([next.finish(), open.finish(), killed.finish()])
      expect((await openOf(userId)).committed).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
