import { Resource } from './resource.ts'

/** Plans and credits. */
export class Billing extends Resource {
  /** The plans on offer, and the caller’s own plan and usage */
  get = this.op('GET /api/billing')

  /** Pay for a plan or credits, use a provider key of one’s own, or see the usage */
  act = this.onceWithBody('POST /api/billing')

  /** The caller’s credits and referral code */
  credits = this.op('GET /api/credits')

  /** Every change of the caller’s credits, newest first; `for await` goes through all pages. */
  ledger = this.pages('GET /api/credits/ledger', 'entries')
}

/** Where plans and credits are paid. */
export class Payments extends Resource {
  /** Lead to where a plan is paid, or changed where one is paid for already */
  checkout = this.opWithQuery('GET /api/payments/checkout')

  /** Lead to where a pack of credits is paid */
  credits = this.opWithQuery('GET /api/payments/credits')

  /** Pay for storage, or change or cancel it; it gives no room yet */
  storage = this.once('POST /api/stripe/storage-upgrade')

  /** Take a signed event of the payment provider */
  receive = this.opWithBody('POST /api/webhooks/payments')
}
