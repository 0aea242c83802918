import { routes as backendRoutes } from '#functions/backend/usage.ts'
import {
  type Services as BillingGroupServices,
  routes as billingRoutes,
} from '#functions/web/billing.ts'
import { routes as webRoutes, type Services as UsageServices } from '#functions/web/usage.ts'
import { userIdentities } from '#shared/accounts/keys/identity.ts'
import { type Agent, aiKeyKey, ownerOf } from '#shared/agents/record/agent.ts'
import { agentAiKey, agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import type { CompletionUsage } from '#shared/ai/usage/event.ts'
import { createApp } from '#shared/http/app.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { platformOver } from '../http/platform-over.ts'
import { noQueues } from '../platform/message-queue.ts'
import { recordCompletion } from './recorded-completions.ts'

export const internalKey = 'the-internal-key'
export const encryptionKey = 'a key that is long enough for the tests'
export const adminEmail = 'admin@b.co'

export interface UsageOptions {
  table?: Table
  deployed?: boolean
  encryptionKey?: string | undefined
}

interface Call {
  body?: unknown
  /** The value of the session cookie. */
  session?: string
  headers?: Record<string, string>
}

type Answer = [status: number, body: Record<string, unknown>]

export const day = 86_400_000

/**
 * Starts the usage and billing functions' routes, web and backend, together with the accounts' routes, over a database
 * of their own.
 */
export async function startUsage() {
  const accounts = await startAccounts()

  /** Starts both functions as other processes would run them. */
  function startProcess(options: UsageOptions = {}) {
    const { table = accounts.table, deployed = false } = options
    const services: UsageServices & BillingGroupServices = {
      table,
      deployed,
      queues: noQueues,
      provider: undefined,
      webhookSecret: undefined,
      webUrl: 'http://localhost:3000',
      encryptionKey: 'encryptionKey' in options ? options.encryptionKey : encryptionKey,
      modelSets: modelSetsOf({}),
      byokProviders: ['openai', 'anthropic', 'openrouter', 'house-made'],
      sellsStorage: false,
    }
    const settings = { WEB_URL: 'http://localhost:3000', INTERNAL_API_KEY: internalKey }
    const web = createApp<UsageServices & BillingGroupServices>({
      surface: 'web',
      name: 'web-table',
      routes: [...webRoutes, ...billingRoutes],
      services,
      settings,
      identity: userIdentities(accounts.table, [adminEmail]),
      table,
    })
    const backend = createApp({
      surface: 'backend',
      name: 'backend-usage',
      routes: backendRoutes,
      services: { ...services, queues: { send: async () => {}, sendAll: async () => {} } },
      settings: { ...settings, RATE_LIMITS: 'off' },
      identity: { agentKey: agentKeyIdentity(accounts.table) },
      table,
    })
    const send =
      (app: typeof web) =>
      async (method: string, path: string, { body, session, headers }: Call = {}) =>
        app.request(path, {
          method,
          headers: {
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(session !== undefined && { cookie: `service-session=${session}` }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
    const ask =
      (app: typeof web) =>
      async (...args: Parameters<ReturnType<typeof send>>) => {
        const answer = await send(app)(...args)
        return [answer.status, await answer.json()] as Answer
      }
    const asInternal = (userId?: string) => ({
      authorization: `Bearer ${internalKey}`,
      ...(userId !== undefined && { 'x-user-id': userId }),
    })
    return {
      /** The web surface's client for a session's user. */
      platformOf: (session: string) => platformOver(send(web), { session }),
      web: ask(web),
      backend: ask(backend),
      /** Returns a backend response to a trusted caller. */
      show: (path: string, userId?: string) =>
        ask(backend)('GET', path, { headers: asInternal(userId) }),
      asInternal,
    }
  }

  let users = 0

  return {
    ...accounts,
    ...startProcess(),
    startProcess,
    /** Returns an id without an account. */
    newUserId: () => `usr_u${++users}`,

    /**
     * Records completions as the gateway does.
     * @param daysAgo the day of the completions, in days before today
     */
    async completed(userId: string, completion: Partial<CompletionUsage> & { daysAgo?: number }) {
      const { daysAgo = 0, ...rest } = completion
      const at = Date.now() - daysAgo * day
      return recordCompletion(accounts.table, { userId, ...rest }, at)
    },

    /**
     * Writes an agent's rows.
     * @returns the agent, and the key of its container
     */
    async agentOf(userId: string | null, fields: Partial<Agent> = {}) {
      const { table } = accounts
      const { id } = await putAgent(table, userId, { name: 'Rhythm', ...fields })
      const key = await agentAiKey(encryptionKey, { id, userId }, 1)
      await table.put({ ...aiKeyKey(await sha256Hex(key)), agentId: id, userId, generation: 1 })
      return { id, key, owner: ownerOf({ userId }), headers: { authorization: `Bearer ${key}` } }
    },
  }
}

export type Usage = Awaited<ReturnType<typeof startUsage>>
