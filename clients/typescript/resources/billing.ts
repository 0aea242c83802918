import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { pagesOf } from '../core/answer.ts'
import { Resource } from './resource.ts'

/** Plans and credits. */
export class Billing extends Resource {
  /** The plans on offer, and the caller’s own plan and usage */
  get(options?: RequestOptions) {
    return this.client.call('GET /api/billing', {}, options)
  }

  /** Pay for a plan or credits, use a provider key of one’s own, or see the usage */
  act(body: BodyOf<'POST /api/billing'>, options?: RequestOptions) {
    return this.client.once('POST /api/billing', { body }, options)
  }

  /** The caller’s credits and referral code */
  credits(options?: RequestOptions) {
    return this.client.call('GET /api/credits', {}, options)
  }

  /** Every change of the caller’s credits, newest first; `for await` goes through all pages. */
  ledger(query: QueryOf<'GET /api/credits/ledger'> = {}, options?: RequestOptions) {
    const read = (page: typeof query) =>
      this.client.call('GET /api/credits/ledger', { query: page }, options)
    return pagesOf(read, query, 'entries')
  }
}

/** Where plans and credits are paid. */
export class Payments extends Resource {
  /** Lead to where a plan is paid, or changed where one is paid for already */
  checkout(query: QueryOf<'GET /api/payments/checkout'>, options?: RequestOptions) {
    return this.client.call('GET /api/payments/checkout', { query }, options)
  }

  /** Lead to where a pack of credits is paid */
  credits(query: QueryOf<'GET /api/payments/credits'>, options?: RequestOptions) {
    return this.client.call('GET /api/payments/credits', { query }, options)
  }

  /** Pay for storage, or change what is paid for it */
  storage(options?: RequestOptions) {
    return this.client.once('POST /api/stripe/storage-upgrade', {}, options)
  }

  /** Take a signed event of the payment provider */
  receive(body: BodyOf<'POST /api/webhooks/payments'>, options?: RequestOptions) {
    return this.client.call('POST /api/webhooks/payments', { body }, options)
  }
}
