import * as z from 'zod'
import type { Store } from './open.ts'

/** Epoch seconds, as for all of Stripe's times. */
const seconds = z.int()
const metadata = z.record(z.string(), z.string())
const interval = z.enum(['day', 'week', 'month', 'year'])

export type Interval = z.output<typeof interval>

/** A line of a session or an item of a subscription. */
const line = z.object({
  name: z.string(),
  /** The price of one, in the currency's smallest unit. */
  amount: z.int(),
  quantity: z.int(),
  /** The billing interval; null for a single payment. */
  interval: interval.nullable(),
})

const session = z.object({
  id: z.string(),
  created: seconds,
  expiresAt: seconds,
  mode: z.enum(['payment', 'subscription']),
  status: z.enum(['open', 'complete']),
  paymentStatus: z.enum(['unpaid', 'paid', 'no_payment_required']),
  currency: z.string(),
  lines: z.array(line),
  clientReferenceId: z.string().nullable(),
  metadata,
  /** The metadata of the resulting subscription or payment. */
  innerMetadata: metadata,
  trialDays: z.int().nullable(),
  successUrl: z.string(),
  cancelUrl: z.string().nullable(),
  customer: z.string().nullable(),
  customerEmail: z.string().nullable(),
  subscription: z.string().nullable(),
  payment: z.string().nullable(),
  invoice: z.string().nullable(),
})

const subscription = z.object({
  id: z.string(),
  created: seconds,
  customer: z.string(),
  status: z.enum(['trialing', 'active', 'past_due', 'canceled']),
  currency: z.string(),
  itemId: z.string(),
  priceId: z.string(),
  productId: z.string(),
  item: line.extend({ interval }),
  metadata,
  periodStart: seconds,
  periodEnd: seconds,
  trialStart: seconds.nullable(),
  trialEnd: seconds.nullable(),
  canceledAt: seconds.nullable(),
  latestInvoice: z.string(),
})

/** A successful payment: a payment intent with its one charge. */
const payment = z.object({
  id: z.string(),
  chargeId: z.string(),
  created: seconds,
  amount: z.int(),
  refunded: z.int(),
  currency: z.string(),
  customer: z.string().nullable(),
  metadata,
})

/** A dispute: the payer's bank has reversed a payment or asks about it. */
const dispute = z.object({
  id: z.string(),
  created: seconds,
  payment: z.string(),
  chargeId: z.string(),
  amount: z.int(),
  currency: z.string(),
  status: z.enum(['warning_needs_response', 'needs_response', 'won', 'lost']),
})

const customer = z.object({ id: z.string(), created: seconds, email: z.string().nullable() })

const portal = z.object({
  id: z.string(),
  created: seconds,
  customer: z.string(),
  returnUrl: z.string(),
})

const kinds = { session, subscription, payment, dispute, customer, portal }

type Kind = keyof typeof kinds
type RecordOf<K extends Kind> = z.output<(typeof kinds)[K]>

export type Line = z.output<typeof line>
export type SessionRecord = RecordOf<'session'>
export type SubscriptionRecord = RecordOf<'subscription'>
export type PaymentRecord = RecordOf<'payment'>
export type DisputeRecord = RecordOf<'dispute'>
export type PortalRecord = RecordOf<'portal'>

/** The stored records of one kind. */
interface Records<T> {
  find(id: string): T | undefined
  /** Returns all records, newest first. */
  list(): T[]
  /** Inserts a record, or replaces the one with its id. */
  put(record: T): T
}

function recordsOf<T extends { id: string }>(
  store: Store,
  kind: Kind,
  schema: z.ZodType<T>,
): Records<T> {
  const parse = (body: unknown) => schema.parse(JSON.parse(String(body)))
  return {
    find(id) {
      const row = store.get('SELECT body FROM record WHERE kind = ? AND id = ?', kind, id)
      return row && parse(row['body'])
    },
    list: () =>
      store
        .all('SELECT body FROM record WHERE kind = ? ORDER BY seq DESC', kind)
        .map((row) => parse(row['body'])),
    put(record) {
      const sql = `INSERT INTO record (id, kind, body) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET body = excluded.body`
      store.run(sql, record.id, kind, JSON.stringify(record))
      return record
    },
  }
}

export function openRecords(store: Store) {
  return {
    sessions: recordsOf(store, 'session', session),
    subscriptions: recordsOf(store, 'subscription', subscription),
    payments: recordsOf(store, 'payment', payment),
    disputes: recordsOf(store, 'dispute', dispute),
    customers: recordsOf(store, 'customer', customer),
    portals: recordsOf(store, 'portal', portal),
  }
}
