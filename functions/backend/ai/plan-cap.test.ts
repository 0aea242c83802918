import { describe, expect, it } from 'vitest'
import { quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { adminEmail, hello, startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const model = 'openai/gpt-4o'
const month = new Date().toISOString().slice(0, 7)

const on = useGateway()

type Headers = Record<string, string>

/** 1,000 tokens in and 100 out at $2.50 and $10 a million: $0.0035. */
const served = () => on.upstream.serve(model, says('x', usage(1000, 100)))

const spentBy = async (userId: string) =>
  toQuota(await on.table.get(quotaKey(userId, month))).microUsd

describe('the operator’s cap of a plan', () => {
  const capped = () =>
    startGateway(on.table, {
      AI_BASE_URL: on.upstream.baseUrl,
      planCaps: { solo: 0.003, network: 0.003 },
    })
  const askCapped = (headers: Headers) => capped().chat({ ...hello, model }, { headers })

  it.each([
    ['without a user’s own cap', {}],
    ['even with a higher cap of the user’s own', { spendCapUsd: 100 }],
  ])('ends the month’s calls, %s, and the calls of their agents', async (_, own) => {
    served()
    const { userId, headers } = await keyHolder(on.table, { ...solo, ...own })
    const agent = await agentCaller(on.table, { ...solo, ...own })
    for (const caller of [headers, agent.headers]) {
      expect((await askCapped(caller)).status).toBe(200)
      const refused = await askCapped(caller)
      expect([refused.status, await refused.json()]).toMatchObject([
        429,
        { error: { code: 'SPEND_CAP_REACHED', capUsd: 0.003 } },
      ])
    }
    expect(await spentBy(userId)).toMatchObject({ used: 3500, committed: 3500 })
  })

  it('applies only if the user’s own cap is not lower', async () => {
    served()
    const { headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0 })
    expect(await (await askCapped(headers)).json()).toMatchObject({ error: { capUsd: 0 } })
  })

  it('applies neither to administrators nor to the platform’s own agents', async () => {
    served()
    const platform = await agentCaller(on.table, 'platform')
    for (const caller of [{ 'x-user-email': adminEmail }, platform.headers])
      for (let i = 0; i < 3; i++) expect((await askCapped(caller)).status).toBe(200)
  })
})
