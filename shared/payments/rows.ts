import * as z from 'zod'
import { planNames } from '../plans/plans.ts'
import { subscriptionStatuses } from '../plans/subscriptions.ts'
import { entity } from '../platform/table/entity.ts'
import { purchase } from './catalogue.ts'

/**
 * What a user was offered to pay, written before the provider is asked for a checkout: no payment is without its order.
 * One that was not paid expires after 90 days.
 */
export const orderRows = entity({
  name: 'order',
  id: 'ord',
  pk: 'order#{orderId}',
  sk: 'order',
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      buys: purchase(),
      /** The price, in pence. */
      pence: z.number(),
      createdAt: z.string(),
      /** The provider's checkout session; absent until the provider has made one. */
      sessionId: z.string().optional(),
      state: z.enum(['open', 'paid']),
      /** Epoch seconds, as the provider says: `created` of the event that said so. */
      paidAt: z.number().optional(),
      /** ISO 8601: when that was applied here. */
      appliedAt: z.string().optional(),
      /** Whom the provider says that paid. */
      customerId: z.string().optional(),
      /**
       * What the payment began at the provider. Before it is paid: what names the order in its metadata, for a payment that
       * does not say itself what it began.
       */
      subscriptionId: z.string().optional(),
      paymentIntent: z.string().optional(),
      invoiceId: z.string().optional(),
      /** The session whose payment was not as it was ordered, so that a repeat is known. */
      refusedSessionId: z.string().optional(),
    }),
})

export type Order = ReturnType<typeof orderRows.parse>

/** Which order a checkout session of the provider is for. */
export const checkoutRows = entity({
  name: 'checkout session',
  pk: 'checkout#{sessionId}',
  sk: 'checkout',
  schema: () => z.object({ orderId: z.string() }),
})

/** The disputes of a payment, by their ids at the provider. */
const disputes = () =>
  z
    .record(
      z.string(),
      z.object({
        state: z.enum(['inquiry', 'open', 'lost', 'won']),
        /** The disputed amount; absent for the whole payment. */
        pence: z.number().optional(),
        /** `created` of the newest event, epoch seconds. Within one second, the event with the higher rank is newer. */
        at: z.number(),
        rank: z.number(),
      }),
    )
    .optional()

/**
 * A payment of the provider: its order, how much of it was paid back, and its disputes. Any of them can be known first.
 * One without an order expires after 90 days.
 */
export const paymentIntentRows = entity({
  name: 'payment intent',
  pk: 'payment-intent#{id}',
  sk: 'order',
  schema: () =>
    z.object({
      orderId: z.string().optional(),
      /** In pence, as the provider's newest event says. */
      refundedPence: z.number().optional(),
      disputes: disputes(),
      /** The credits that refunds and disputes have withdrawn, in millionths of a US dollar; absent if all could be withdrawn. */
      takenMicroUsd: z.number().optional(),
    }),
})

export type PaymentIntent = ReturnType<typeof paymentIntentRows.parse>

/** What the provider last said of a subscription, also of one that no user’s record names yet. */
export const providerSubscriptionRows = entity({
  name: 'subscription at the provider',
  pk: 'subscription#{id}',
  sk: 'subscription',
  schema: () =>
    z.object({
      id: z.string(),
      /** The newest event's word; absent where a checkout named the subscription before any event of its own. */
      seen: z
        .object({
          status: z.enum(subscriptionStatuses),
          /** `created` of that event, epoch seconds; of events of one second the higher rank is the newer. */
          at: z.number(),
          rank: z.number(),
          customerId: z.string().nullable(),
          trialEndsAt: z.string().optional(),
        })
        .optional(),
      /** The plan whose price it had in the newest event with a plan's price: a price that none has leaves the plan. */
      priced: z.object({ plan: z.enum(planNames), at: z.number(), rank: z.number() }).optional(),
      /** Those of all its payments. */
      disputes: disputes(),
      /** Grows with each paid checkout that names it, so that a grant and an event at once see each other. */
      named: z.number(),
    }),
})

export type ProviderSubscription = ReturnType<typeof providerSubscriptionRows.parse>

export type Disputes = NonNullable<ProviderSubscription['disputes']>

/** That an event of the provider was applied, and whom it moved; kept for 90 days, longer than the provider repeats one. */
export const eventRows = entity({
  name: 'payment event',
  pk: 'payment-event#{eventId}',
  sk: 'event',
  schema: () => z.object({ userIds: z.array(z.string()) }),
})

/**
 * A subscription at the provider that is to be cancelled there: another one took its place, or its payment was not as it
 * was ordered.
 */
export const unwantedRows = entity({
  name: 'unwanted subscription',
  pk: 'user#{userId}',
  sk: 'unwanted-subscription#{id}',
  schema: () => z.object({ id: z.string() }),
})

/** A payment that is to be paid back: another one took its place. */
export const refundRows = entity({
  name: 'refund that is due',
  pk: 'user#{userId}',
  sk: 'refund-due#{sessionId}',
  schema: () =>
    z.object({
      orderId: z.string(),
      sessionId: z.string(),
      /** Of a second payment for one order: the order tells of the first. */
      subscriptionId: z.string().optional(),
      paymentIntent: z.string().optional(),
      invoiceId: z.string().optional(),
    }),
})
