import type { Order } from './rows.ts'

/** The payment provider, as the domain sees it. What fails there is PlatformError 502. */
export interface PaymentProvider {
  /**
   * Makes the page where an order is paid. A repeat for the same order answers the same page.
   * @param checkout `customerId`: whom the provider knows already; absent for a new customer, and left out where it
   * knows them no longer
   */
  createCheckout(checkout: CheckoutRequest): Promise<{ id: string; url: string }>
  /** The address of the page where a customer changes or ends what they pay for; undefined for one that it does not know. */
  openPortal(portal: { customerId: string; returnUrl: string }): Promise<string | undefined>
  /** Ends a subscription at once. One that is over, or that the provider does not know, is as good as ended. */
  cancelSubscription(id: string): Promise<void>
  /**
   * Pays the payment of a checkout back, all that is left of it; a repeat does nothing more.
   * @returns whether the provider knows of a payment
   */
  payBack(payment: PaymentToPayBack): Promise<boolean>
  /** Returns the order or subscription of a payment intent, or undefined if the provider does not know it. */
  findPayment(id: string): Promise<PaymentFound | undefined>
  /** A subscription as the provider has it now, in the form of its events; undefined for one that it does not know. */
  findSubscription(id: string): Promise<unknown>
  /** All subscriptions in every state, a page at a time. @param after the last id of the page before */
  subscriptions(after?: string): Promise<{ items: readonly unknown[]; hasMore: boolean }>
}

/** A payment, by what is known of it. */
export interface PaymentToPayBack {
  orderId: string
  paymentIntent?: string | undefined
  /** The first of the subscription. */
  invoiceId?: string | undefined
  subscriptionId?: string | undefined
}

export interface PaymentFound {
  customerId: string | undefined
  /** Absent for a payment that is not a subscription's. */
  subscriptionId: string | undefined
  /** The metadata that the checkout set on the payment. */
  metadata: unknown
}

export interface CheckoutRequest {
  order: Pick<Order, 'id' | 'userId' | 'buys' | 'pence'>
  /** What the payer reads on the page and the receipt. */
  title: string
  customerId?: string | undefined
  /** Where the page leads back to. */
  successUrl: string
  cancelUrl: string
}
