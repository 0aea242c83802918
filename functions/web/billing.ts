import * as z from 'zod'
import { getCredits } from '#shared/billing/credits/get.ts'
import { creditLedger } from '#shared/billing/credits/ledger.ts'
import { creditsAnswer, ledgerAnswer, ledgerQuery } from '#shared/billing/credits/schema.ts'
import { actOnBilling } from '#shared/billing/overview/act.ts'
import type { BillingContext } from '#shared/billing/overview/context.ts'
import { billingOverview } from '#shared/billing/overview/overview.ts'
import { ownKeyProviders } from '#shared/billing/overview/providers.ts'
import {
  actionAnswer,
  billingAction,
  billingAnswer,
  checkoutQuery,
  creditsQuery,
  paymentAnswer,
} from '#shared/billing/overview/schema.ts'
import { buy } from '#shared/billing/payments/buy.ts'
import { storageUpgrade } from '#shared/billing/payments/catalogue.ts'
import { configuredProvider } from '#shared/billing/payments/context.ts'
import { receivePaymentEvent } from '#shared/billing/payments/events/receive.ts'
import { checkScope } from '#shared/http/guards/scope.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Omit<BillingContext, 'actor' | 'owner' | 'requestId' | 'seed'> &
  Sends<'entitlements' | 'webhook-deliveries'>

const route = routesWith<Services>()

const path = '/api/billing'

/** Each request creates rows and a session at the provider. No person needs more. */
const checkoutLimit = { scope: 'checkout', perMinute: 60 }

/** The properties that the links to payment pages share. */
const link = {
  method: 'GET',
  tag: 'billing',
  guard: 'session',
  scope: 'admin',
  status: 303,
  response: z.null(),
  errors: ['bad-request', 'unauthorized', 'not-found', 'bad-gateway', 'unavailable'],
  limits: [checkoutLimit],
} as const

export const routes = [
  route({
    name: 'billing.credits',
    method: 'GET',
    path: '/api/credits',
    summary: 'Get credits and the referral code',
    tag: 'billing',
    guard: 'session',
    response: creditsAnswer,
    errors: ['unauthorized', 'not-found'],
    handle: (context) => getCredits(context),
  }),

  route({
    name: 'billing.credits.ledger',
    method: 'GET',
    path: '/api/credits/ledger',
    summary: 'List credit transactions',
    description: 'Newest first.',
    tag: 'billing',
    guard: 'session',
    query: ledgerQuery,
    response: ledgerAnswer,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: (context, { query }) => creditLedger(context, query),
  }),

  route({
    name: 'billing.get',
    method: 'GET',
    path,
    summary: 'Get plans, the current plan and usage',
    tag: 'billing',
    guard: 'session',
    response: billingAnswer,
    errors: ['unauthorized', 'not-found'],
    handle: (context) => billingOverview(context),
  }),

  route({
    name: 'billing.act',
    method: 'POST',
    path,
    summary: 'Act on billing',
    description:
      'Starts a checkout for a plan or credits, manages the caller’s own provider keys, or returns usage.',
    tag: 'billing',
    guard: 'session',
    scope: ['read', 'admin'],
    body: billingAction,
    response: actionAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'bad-gateway', 'unavailable'],
    limits: [checkoutLimit],
    idempotent: true,
    audits: ['byok.enabled', 'byok.disabled'],
    handle: (context, { body }) => {
      // One route serves all actions: reading the usage needs `read`, every payment needs `admin`.
      const scope = body.action === 'get-usage' ? 'read' : 'admin'
      checkScope(context.actor, { method: 'POST', scope })
      return actOnBilling(context, body)
    },
  }),

  /**
   * Links can be opened by another site in a signed-in person's browser. This only creates an order and a session,
   * which both expire, and shows a page of the provider. Nothing is paid and no plan changes without the person.
   */
  route({
    ...link,
    name: 'payments.checkout',
    path: '/api/payments/checkout',
    summary: 'Redirect to the checkout of a plan',
    description: 'A subscriber is redirected to the page that changes the subscription.',
    query: checkoutQuery,
    handle: async (context, { query: { plan } }) =>
      seeOther(await buy(context, { kind: 'plan', plan })),
  }),

  route({
    ...link,
    name: 'payments.credits',
    path: '/api/payments/credits',
    summary: 'Redirect to the checkout of credits',
    query: creditsQuery,
    handle: async (context, { query: { price } }) =>
      seeOther(await buy(context, { kind: 'credits', credits: price })),
  }),

  route({
    name: 'payments.storage',
    method: 'POST',
    path: '/api/stripe/storage-upgrade',
    summary: 'Buy storage, or change or cancel it',
    description:
      '50 GB for the files of all agents, billed monthly. A user who pays for storage gets the address of the page to change or cancel it. With STORAGE_UPGRADES=false the response is 503, except for these users.',
    tag: 'billing',
    guard: 'session',
    scope: 'admin',
    response: paymentAnswer,
    errors: ['unauthorized', 'not-found', 'bad-gateway', 'unavailable'],
    limits: [checkoutLimit],
    idempotent: true,
    notAudited: 'only starts a payment; its event is audited',
    handle: async (context) => ({ url: await buy(context, storageUpgrade) }),
  }),

  route({
    name: 'payments.receive',
    method: 'POST',
    path: '/api/webhooks/payments',
    summary: 'Receive a webhook of the payment provider',
    tag: 'billing',
    guard: 'none',
    unlimited: 'signed',
    rawBody: 'application/json',
    headers: {
      'stripe-signature': '`t=<epoch seconds>,v1=<HMAC-SHA256 in hex>`, at most 5 minutes old',
    },
    response: z.object({ received: z.literal(true) }),
    errors: ['bad-request', 'unavailable'],
    audits: ['subscription.changed', 'credits.granted', 'storage.changed'],
    handle: async (context) => {
      const { request } = context
      await receivePaymentEvent(
        { ...context, actor: { type: 'provider' } },
        {
          payload: new Uint8Array(await request.arrayBuffer()),
          signature: request.headers.get('stripe-signature') ?? '',
        },
      )
      return { received: true as const }
    },
  }),
]

function seeOther(url: string): Response {
  return new Response(null, { status: 303, headers: { location: url } })
}

export function wire(config: ConfigOf<'web-billing'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const provider = configuredProvider(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    provider,
    webhookSecret: config.PAYMENTS_WEBHOOK_SECRET,
    webUrl: config.WEB_URL,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    byokProviders: ownKeyProviders(config),
    deployed: config.deployed,
    modelSets: modelSetsOf(config),
    sellsStorage: config.STORAGE_UPGRADES,
  }))
}
