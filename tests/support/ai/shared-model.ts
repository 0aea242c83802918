import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import { routingHeader } from '#shared/ai/gateway/routing/combine.ts'
import type { Routing } from '#shared/platform/model-routing.ts'
import { startTestTable, type TestTable } from '../platform/table.ts'
import { type GatewayOptions, startGateway } from './gateway.ts'
import { type Behaviour, says, startUpstream, type Upstream, usage } from './upstream.ts'

export const sharedModel = 'openai/gpt-4o'
export const providerNames = ['router', 'azure', 'groq'] as const
type Name = (typeof providerNames)[number]

/** The header with a routing. */
export const withRouting = (routing: Routing): Record<string, string> => ({
  [routingHeader]: JSON.stringify(routing),
})

export const question = (content = 'hello') => ({
  model: sharedModel,
  messages: [{ role: 'user', content }],
})

/**
 * Starts a gateway for each test, over three providers of one model: the routing provider at $2.50 and $10 a million
 * tokens, azure at $2 and $8, and groq at $5 and $50. Each answers with its name.
 */
export function useSharedModel() {
  let db: TestTable
  let upstreams: Record<Name, Upstream>
  const on = {
    asked: [] as Name[],
    gateway: {} as ReturnType<typeof startGateway>,
    get table() {
      return db.table
    },
    plays(name: Name, behaviour: Behaviour) {
      upstreams[name].serve(name === 'router' ? sharedModel : 'gpt-4o', (response, call) => {
        on.asked.push(name)
        return behaviour(response, call)
      })
    },
    /** Starts another process over the same providers. */
    startGateway(options: Omit<GatewayOptions, 'AI_BASE_URL'> = {}) {
      const entry = (name: Name, input: number, output: number) => ({
        baseUrl: upstreams[name].baseUrl,
        models: { [sharedModel]: 'gpt-4o' },
        prices: { 'gpt-4o': { input, output } },
      })
      on.gateway = startGateway(db.table, {
        AI_BASE_URL: upstreams.router.baseUrl,
        AI_PROVIDERS: JSON.stringify({ azure: entry('azure', 2, 8), groq: entry('groq', 5, 50) }),
        ...options,
      })
    },
    /** Asks a question. @returns the name of the provider that answers */
    async providerOf(headers: Record<string, string> = {}, content?: string): Promise<string> {
      const answer = await on.gateway.aiChat(question(content), { headers })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { provider: string }).provider
    },
  }
  beforeAll(async () => {
    db = await startTestTable()
  })
  afterAll(() => db.close())
  beforeEach(async () => {
    const started = providerNames.map(async (name) => [name, await startUpstream()] as const)
    upstreams = Object.fromEntries(await Promise.all(started)) as typeof upstreams
    on.asked = []
    for (const name of providerNames) on.plays(name, says(name, usage(10, 5)))
    on.startGateway()
    return async () => {
      vi.useRealTimers()
      await Promise.all(Object.values(upstreams).map((each) => each.close()))
    }
  })
  return on
}
