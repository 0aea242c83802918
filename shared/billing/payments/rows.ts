import * as z from 'zod'
import { planNames } from '#shared/money/plans/plans.ts'
import { subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { purchase } from './catalogue.ts'

/**
 * An offer to a user, written before the checkout is requested from the provider, so that every payment has an order.
 * An unpaid order expires after 90 days.
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
      /** The provider's checkout session; absent until the provider has created it. */
      sessionId: z.string().optional(),
      state: z.enum(['open', 'paid']),
      /** `created` of the payment event, in epoch seconds. */
      paidAt: z.number().optional(),
      /** When the payment was applied, ISO 8601. */
      appliedAt: z.string().optional(),
      /** The customer who paid. */
      customerId: z.string().optional(),
      /**
       * The ids of the objects that the payment created at the provider. Before the payment, the ids of objects with
       * the order in their metadata, in case the payment event has no ids.
       */
      subscriptionId: z.string().optional(),
      paymentIntent: z.string().optional(),
      invoiceId: z.string().optional(),
      /** The session whose payment did not match the order, to recognise a repeated event. */
      refusedSessionId: z.string().optional(),
    }),
})

export type Order = ReturnType<typeof orderRows.parse>

/** Maps a checkout session of the provider to its order. */
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
        /** When the disputed payment of a subscription was created, in epoch seconds; absent if unknown. */
        paymentAt: z.number().optional(),
      }),
    )
    .optional()

/**
 * A payment of the provider, with its order, its refunded amount and its disputes, which can be reported in any order.
 * Expires after 90 days without an order.
 */
export const paymentIntentRows = entity({
  name: 'payment intent',
  pk: 'payment-intent#{id}',
  sk: 'order',
  schema: () =>
    z.object({
      orderId: z.string().optional(),
      /** In pence, from the provider's newest event. */
      refundedPence: z.number().optional(),
      disputes: disputes(),
      /**
       * The credits that refunds and disputes have withdrawn, in millionths of a US dollar; absent if the balance
       * covered all withdrawals.
       */
      takenMicroUsd: z.number().optional(),
    }),
})

export type PaymentIntent = ReturnType<typeof paymentIntentRows.parse>

/** The last reported state of a subscription at the provider, even if no user has it yet. */
export const providerSubscriptionRows = entity({
  name: 'subscription at the provider',
  pk: 'subscription#{id}',
  sk: 'subscription',
  schema: () =>
    z.object({
      id: z.string(),
      /** The state from the newest event; absent if a checkout contained the subscription before its first event. */
      seen: z
        .object({
          status: z.enum(subscriptionStatuses),
          /** `created` of that event, epoch seconds. Within one second, the event with the higher rank is newer. */
          at: z.number(),
          rank: z.number(),
          customerId: z.string().nullable(),
          trialEndsAt: z.string().optional(),
        })
        .optional(),
      /** The plan from the newest event with a plan's price. A price that no plan has does not change it. */
      priced: z.object({ plan: z.enum(planNames), at: z.number(), rank: z.number() }).optional(),
      /** The disputes of all its payments. */
      disputes: disputes(),
      /** The user of the order in an invoice, for a subscription that no user has yet. */
      payer: z.string().optional(),
      /** The times of its payments, in epoch seconds, for referrals. Not recorded if no payer was referred. */
      payments: z.array(z.number()).optional(),
      /**
       * The payments with a refund of at least half, by payment intent: the time of the payment in epoch seconds, null if
       * unknown. Refunds may be reported before the payment.
       */
      refunds: z.record(z.string(), z.number().nullable()).optional(),
      /** Increases with each paid checkout of the subscription, so that a grant and a concurrent event conflict. */
      named: z.number(),
    }),
})

export type ProviderSubscription = ReturnType<typeof providerSubscriptionRows.parse>

/** The provider's last reported state of a subscription; empty before the first event. */
export type SubscriptionState = Pick<
  ProviderSubscription,
  'seen' | 'priced' | 'disputes' | 'payments' | 'refunds'
>

export type Disputes = NonNullable<ProviderSubscription['disputes']>

/**
 * An applied event of the provider and the users that it changed. Stored for 90 days, longer than the provider retries
 * an event.
 */
export const paymentEventRows = entity({
  name: 'payment event',
  pk: 'payment-event#{eventId}',
  sk: 'event',
  schema: () => z.object({ userIds: z.array(z.string()) }),
})

/**
 * A subscription that must be cancelled at the provider: another one replaced it, or its payment did not match its
 * order.
 */
export const unwantedRows = entity({
  name: 'unwanted subscription',
  pk: 'user#{userId}',
  sk: 'unwanted-subscription#{id}',
  schema: () => z.object({ id: z.string() }),
})

/** A payment that must be refunded, because another payment replaced it. */
export const refundRows = entity({
  name: 'refund that is due',
  pk: 'user#{userId}',
  sk: 'refund-due#{sessionId}',
  schema: () =>
    z.object({
      orderId: z.string(),
      sessionId: z.string(),
      /** Set for a second payment of one order; the order itself contains the ids of the first payment. */
      subscriptionId: z.string().optional(),
      paymentIntent: z.string().optional(),
      invoiceId: z.string().optional(),
    }),
})
