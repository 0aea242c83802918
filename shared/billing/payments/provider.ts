import type { Order } from './rows.ts'

/** The payment provider. Failures are PlatformError 502. */
export interface PaymentProvider {
  /**
   * Creates an order's checkout page. A retry for the same order returns the same page.
   * @param checkout `customerId`: the provider's customer; absent for a new customer, and ignored if the provider no
   * longer has this customer
   */
  createCheckout(checkout: CheckoutRequest): Promise<{ id: string; url: string }>
  /** Returns the URL of the customer's billing portal, or undefined if the customer is unknown. */
  openPortal(portal: { customerId: string; returnUrl: string }): Promise<string | undefined>
  /** Cancels a subscription immediately. Succeeds if it is already cancelled or unknown. */
  cancelSubscription(id: string): Promise<void>
  /**
   * Refunds the remaining amount of a checkout's payment. A retry has no further effect.
   * @returns whether the provider has such a payment
   */
  payBack(payment: PaymentToPayBack): Promise<boolean>
  /** Returns the order or subscription of a payment intent, or undefined if the provider does not know it. */
  findPayment(id: string): Promise<PaymentFound | undefined>
  /** Returns the current subscription object, as in the provider's events, or undefined if it is unknown. */
  findSubscription(id: string): Promise<unknown>
  /**
   * Lists all subscriptions in every state, page by page.
   * @param after the last id of the previous page
   */
  subscriptions(after?: string): Promise<{ items: readonly unknown[]; hasMore: boolean }>
}

/** Identifies a payment by the ids that are known. */
export interface PaymentToPayBack {
  orderId: string
  paymentIntent?: string | undefined
  /** The subscription's first invoice. */
  invoiceId?: string | undefined
  subscriptionId?: string | undefined
}

interface PaymentFound {
  customerId: string | undefined
  /** Undefined for a one-time payment. */
  subscriptionId: string | undefined
  /** The metadata that the checkout set on the payment. */
  metadata: unknown
  /** When the payment was created, in epoch seconds. */
  createdAt: number | undefined
}

export interface CheckoutRequest {
  order: Pick<Order, 'id' | 'userId' | 'buys' | 'pence'>
  /** Shown on the page and the receipt. */
  title: string
  customerId?: string | undefined
  successUrl: string
  cancelUrl: string
}

/** A capability of verbs that use the payment provider. */
export interface HasPayments {
  /** Undefined without PAYMENTS_SECRET_KEY. */
  provider: PaymentProvider | undefined
}
