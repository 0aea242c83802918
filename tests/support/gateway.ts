import { testModelSets } from './model-sets.ts'
import type { PlanCaps } from '../../shared/plans/spend-cap.ts'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { routes } from '../../functions/backend/ai.ts'
import { profileKey } from '../../shared/accounts/user.ts'
import { agentKeyIdentity } from '../../shared/agents/ai-key.ts'
import { createCatalogue } from '../../shared/ai/models/catalogue.ts'
import { createProviders, type ProviderSettings } from '../../shared/ai/providers/provider.ts'
import { createApp } from '../../shared/http/app.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import { userKeyIdentity } from '../../shared/keys/identity.ts'
import type { Item, Table } from '../../shared/platform/table/port.ts'
import { userPartition, userStore } from '../../shared/platform/table/user-store.ts'
import { booksOf } from '../../shared/usage/shared-callers.ts'
import { noQueues } from './message-queue.ts'
import { startTestTable, type TestTable } from './table.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export const internalKey = 'the-internal-key'
export const adminEmail = 'admin@example.com'
/** WALLET_ENCRYPTION_KEY. */
export const encryptionKey = 'an encryption key that is long enough'

export interface GatewayOptions extends Partial<ProviderSettings> {
  timeoutMs?: number
  /** Off unless asked for, as all of a test's calls have one address. */
  RATE_LIMITS?: 'on' | 'off'
  /** What spans of calls are sent by. */
  spans?: Queues<'telemetry'>
  /** What calls are recorded by that the table does not take; absent where nothing takes them. */
  settlements?: Queues<'settlements'>
  /** The operator's spend caps by plan, in USD per month. */
  planCaps?: PlanCaps
}

export interface Ask {
  /** Headers beside those of a solo subscriber `usr_1`; undefined takes one away. */
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
}

/** The AI function's own routes over a table and providers of the test's choice. */
export function startGateway(
  table: Table,
  {
    timeoutMs = 60_000,
    RATE_LIMITS = 'off',
    spans,
    settlements = noQueues,
    planCaps = {},
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
    /** Answers once a whole answer's last byte is here, and with it its record; a stream is left to be read. */
    chat: post('/v1/chat/completions'),
    /** The same by the platform's own form. */
    aiChat: post('/api/ai/chat'),
    /** Any method and path, with the same headers and without a body. */
    ask: async (method: string, path: string, { headers }: Ask = {}): Promise<Response> =>
      app.request(path, { method, headers: headersOf(headers) }),
    models: async ({ headers }: Ask = {}): Promise<Response> =>
      app.request('/v1/models', { headers: headersOf(headers) }),
  }
}

export const hello = { messages: [{ role: 'user', content: 'hello' }] }

/** Every item of a partition, or those whose sort key begins so. */
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

/** A user's rollups; a shared caller's are in parts, which add up. */
export async function rollupsOf(table: Table, userId: string): Promise<Item[]> {
  const books = booksOf(userId).map((name) => itemsOf(table, userPartition(name), 'rollup#'))
  return (await Promise.all(books)).flat()
}

/** A user's events, oldest first. */
export async function eventsOf(table: Table, userId = 'usr_1'): Promise<Item[]> {
  const books = booksOf(userId).map((name) => itemsOf(table, userPartition(name), 'usage#'))
  return (await Promise.all(books)).flat().sort((a, b) => a.sk.localeCompare(b.sk))
}

export async function quotaOf(table: Table, userId = 'usr_1'): Promise<Item | undefined> {
  const [row] = await itemsOf(table, userPartition(userId), 'quota#')
  return row
}

/** A file's own table, and for each of its tests a provider and the gateway that has only that. */
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
