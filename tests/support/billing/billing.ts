import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes as backendRoutes } from '#functions/backend/subscriptions.ts'
import { type Services as BillingGroupServices, routes } from '#functions/web/billing.ts'
import { profileKey, toUser } from '#shared/accounts/users/user.ts'
import { settleAtProvider } from '#shared/billing/payments/settle-at-provider.ts'
import { createApp } from '#shared/http/app.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { createLog } from '#shared/platform/log.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { startMessageQueue } from '../platform/message-queue.ts'
import { clientOfProvider, signatureOf, startPaymentProvider } from './payment-provider.ts'

export const webhookSecret = 'whsec_of_the_tests'
const internalKey = 'the-internal-key'

export interface PaymentEventInput {
  id?: string
  type: string
  /** Epoch seconds. */
  created?: number
  object: Record<string, unknown>
}

type Answer = [status: number, body: Record<string, unknown>]

/** Starts the billing function with the accounts' routes, a payment provider, and the queue that it sends to. */
export async function startBilling() {
  const dir = await mkdtemp(join(tmpdir(), 'billing-'))
  const [accounts, provider, queue] = await Promise.all([
    startAccounts(),
    startPaymentProvider(),
    startMessageQueue('entitlements', dir),
  ])
  const { table } = accounts
  const paid: BillingGroupServices = {
    table,
    queues: queue.queues,
    provider: clientOfProvider(provider.origin),
    webhookSecret,
    webUrl: 'http://localhost:3000',
    encryptionKey: undefined,
    byokProviders: [],
    deployed: true,
    modelSets: modelSetsOf({}),
    sellsStorage: true,
  }
  const backend = createApp({
    surface: 'backend',
    name: 'backend-subscriptions',
    routes: backendRoutes,
    services: { table, queues: queue.queues },
    settings: { INTERNAL_API_KEY: internalKey, RATE_LIMITS: 'off' },
  })

  /** Starts the function as another process would run it. */
  function startProcess(services: Partial<BillingGroupServices> = {}) {
    const call = callerOf({ routes }, { ...paid, ...services })
    const web = async (method: string, path: string, options?: UserCall): Promise<Answer> => {
      const answer = await call(method, path, options)
      return [answer.status, (await answer.json()) as Record<string, unknown>]
    }

    /** Delivers a signed event, as the provider does. */
    async function deliver({ id, type, created, object }: PaymentEventInput): Promise<Answer> {
      const event = {
        id: id ?? `evt_${randomUUID()}`,
        object: 'event',
        type,
        created: created ?? Math.floor(Date.now() / 1000),
        data: { object },
      }
      return receive(JSON.stringify(event))
    }

    async function receive(
      body: string,
      signature = signatureOf(webhookSecret, body),
    ): Promise<Answer> {
      return web('POST', '/api/webhooks/payments', {
        text: body,
        headers: { 'stripe-signature': signature },
      })
    }

    return { call, web, deliver, receive }
  }

  const profileOf = (userId: string) => ({ pk: userPartition(userId), sk: profileKey })

  const first = startProcess()

  return {
    ...accounts,
    ...first,
    /** Calls the accounts' routes. */
    account: accounts.call,
    startProcess,
    provider,
    services: paid,
    newUser: () => accounts.signUp(`payer-${randomUUID()}@b.co`),
    read: async (userId: string) => table.get(profileOf(userId)),
    record: async (userId: string) =>
      toUser((await table.get(profileOf(userId))) ?? { pk: '', sk: '' }),
    /** Returns what `GET /api/billing` shows a user of their plan and payments. */
    see: async (session: string) => (await first.web('GET', '/api/billing', { session }))[1],
    /** Returns the requests to the provider that cancel a subscription. */
    cancels: (subscription: unknown) =>
      provider.callsOf(`DELETE /v1/subscriptions/${subscription}`),
    give: (userId: string, set: Record<string, unknown>) =>
      table.update(profileOf(userId), { set }),
    /** Starts a checkout. Returns the form that the provider received, and the session that it created. */
    async order(session: string, body: Record<string, unknown>) {
      const storage = body.action === undefined
      const path = storage ? '/api/stripe/storage-upgrade' : '/api/billing'
      const [status, { url }] = await first.web('POST', path, {
        session,
        ...(!storage && { body }),
      })
      if (status !== 200) throw new Error(`no order was created: ${status}`)
      const form = provider.callsOf('POST /v1/checkout/sessions').at(-1)?.form ?? {}
      return { sessionId: String(url).split('/').at(-1) ?? '', form }
    },
    /** Creates a user's subscription, as a trusted caller does. */
    async subscribe(body: Record<string, unknown>): Promise<number> {
      const answer = await backend.request('/api/subscriptions/deploy', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${internalKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      return answer.status
    },
    /** Takes the queued messages of the entitlements job, and returns their users. */
    told: async () => (await queue.take()).map((body) => (body as { userId: string }).userId),
    /** Runs the job for one user. */
    cancelUnwanted: (
      userId: string,
      changes: Partial<Parameters<typeof settleAtProvider>[0]> = {},
    ) =>
      settleAtProvider(
        {
          table,
          provider: paid.provider,
          log: createLog({ function: 'test' }),
          actor: { type: 'platform', askedBy: 'provider' },
          requestId: 'req_of_the_tests',
          ...changes,
        },
        { userId },
      ),
    async close() {
      provider.close()
      await Promise.all([accounts.close(), queue.close()])
      await rm(dir, { recursive: true })
    },
  }
}

export type Billing = Awaited<ReturnType<typeof startBilling>>
