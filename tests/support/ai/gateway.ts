import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { routes } from '#functions/backend/ai.ts'
import { userKeyIdentity } from '#shared/accounts/keys/identity.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import type { AiContext } from '#shared/ai/gateway/context.ts'
import { createCatalogue } from '#shared/ai/gateway/models/catalogue.ts'
import { createProviders, type ProviderSettings } from '#shared/ai/gateway/providers/provider.ts'
import { rowOwnersOf } from '#shared/ai/usage/shared-callers.ts'
import { createApp } from '#shared/http/app.ts'
import type { PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { noQueues } from '../platform/message-queue.ts'
import { startTestTable, type TestTable } from '../platform/table.ts'
import { testModelSets } from './model-sets.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export const internalKey = 'the-internal-key'
export const adminEmail = 'admin@example.com'
export const encryptionKey = 'an encryption key that is long enough'

export interface GatewayOptions extends Partial<ProviderSettings> {
  timeoutMs?: number
  /** Default: off, because all calls of a test have the same address. */
  RATE_LIMITS?: 'on' | 'off'
  /** The queue of spans. */
  spans?: Queues<'telemetry'>
  /** The queue of settlements that the table refuses; without it, they are lost. */
  settlements?: Queues<'settlements'>
  /** The operator's spend caps by plan, in USD per month. */
  planCaps?: PlanCaps
  /** The operator's choice of providers by plan. */
  planRouting?: AiContext['planRouting']
}

export interface Ask {
  /** Changes to the headers of the solo subscriber `usr_1`; undefined removes a header. */
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
}

/** Starts the AI function's own routes over a table and the test's providers. */
export function startGateway(
  table: Table,
  {
    timeoutMs = 60_000,
    RATE_LIMITS = 'off',
    spans,
    settlements = noQueues,
    planCaps = {},
    planRouting,
    ...settings
  }: GatewayOptions,
) {
  const providers = createProviders({ ...loadConfig({}), ...testModelSets, ...settings })
  const app = createApp({
    surface: 'backend',
    name: 'backend-ai',
    routes,
    services: {
      table,
      providers,
      catalogue: createCatalogue(providers),
      timeoutMs,
      encryptionKey,
      adminEmails: [adminEmail],
      planCaps,
      planRouting,
      settlements,
      ...(spans && { spans }),
    },
    settings: { INTERNAL_API_KEY: internalKey, RATE_LIMITS },
    identity: {
      agentKey: agentKeyIdentity(table),
      profile: (userId) => userStore(table, userId).get(profileKey),
      userKey: userKeyIdentity(table, [adminEmail]),
    },
    table,
  })
  const headersOf = (given: Ask['headers'] = {}) => {
    const all = {
      authorization: `Bearer ${internalKey}`,
      'content-type': 'application/json',
      'x-user-id': 'usr_1',
      'x-user-plan': 'solo',
      'x-billing-subscription-id': 'sub_1',
      ...given,
    }
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
  }
  const post = (path: string) => {
    return async (body: unknown, { headers, signal }: Ask = {}): Promise<Response> => {
      const response = await app.request(path, {
        method: 'POST',
        headers: headersOf(headers),
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal && { signal }),
      })
      if (response.headers.get('content-type') === 'text/event-stream') return response
      return new Response(await response.arrayBuffer(), response)
    }
  }
  return {
    /**
     * Resolves once the last byte of a whole answer has arrived, and with it the record of the call. A stream is left
     * unread.
     */
    chat: post('/v1/chat/completions'),
    /** The platform's own form of the same call. */
    aiChat: post('/api/ai/chat'),
    messages: post('/v1/messages'),
    responses: post('/v1/responses'),
    countTokens: post('/v1/messages/count_tokens'),
    embeddings: post('/v1/embeddings'),
    /** Sends any method and path, with the same headers and without a body. */
    ask: async (method: string, path: string, { headers }: Ask = {}): Promise<Response> =>
      app.request(path, { method, headers: headersOf(headers) }),
    models: async ({ headers }: Ask = {}): Promise<Response> =>
      app.request('/v1/models', { headers: headersOf(headers) }),
  }
}

export const hello = { messages: [{ role: 'user', content: 'hello' }] }

/** Returns every item of a partition, or the items whose sort key begins with a prefix. */
export async function itemsOf(table: Table, pk: string, beginsWith?: string): Promise<Item[]> {
  const items: Item[] = []
  let after: Item | undefined
  for (;;) {
    const page = await table.query({
      pk,
      ...(beginsWith !== undefined && { beginsWith }),
      ...(after && { after }),
    })
    items.push(...page.items)
    if (page.next === undefined) return items
    after = page.next as Item
  }
}

/** Returns a user's rollups. A shared caller's rollups are stored in parts, which are summed. */
export async function rollupsOf(table: Table, userId: string): Promise<Item[]> {
  const books = rowOwnersOf(userId).map((name) => itemsOf(table, userPartition(name), 'rollup#'))
  return (await Promise.all(books)).flat()
}

export async function eventsOf(table: Table, userId = 'usr_1'): Promise<Item[]> {
  const books = rowOwnersOf(userId).map((name) => itemsOf(table, userPartition(name), 'usage#'))
  return (await Promise.all(books)).flat().sort((a, b) => a.sk.localeCompare(b.sk))
}

export async function quotaOf(table: Table, userId = 'usr_1'): Promise<Item | undefined> {
  const [row] = await itemsOf(table, userPartition(userId), 'quota#')
  return row
}

/** Starts one table for a file of tests, and for each test a provider with a gateway that uses only it. */
export function useGateway(options: Omit<GatewayOptions, 'AI_BASE_URL'> = {}) {
  let database: TestTable
  const on = {} as {
    table: Table
    upstream: Upstream
    gateway: ReturnType<typeof startGateway>
  }
  beforeAll(async () => {
    database = await startTestTable()
    on.table = database.table
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    on.upstream = await startUpstream()
    on.gateway = startGateway(on.table, { ...options, AI_BASE_URL: on.upstream.baseUrl })
  })
  afterEach(() => on.upstream.close())
  return on
}
