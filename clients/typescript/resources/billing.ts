import { Resource } from './resource.ts'

/** Plans and credits. */
export class Billing extends Resource {
  /** Returns the available plans, and the caller’s plan and usage. */
  get = this.op('GET /api/billing')

  /** Buys a plan or credits, sets the caller’s own provider key, or returns the usage. */
  act = this.onceWithBody('POST /api/billing')

  /** Returns the caller’s credits and referral code. */
  credits = this.op('GET /api/credits')

  /** Lists the changes of the caller’s credits, newest first. `for await` iterates over all pages. */
  ledger = this.pages('GET /api/credits/ledger', 'entries')
}

/** Checkouts for plans and credits. */
export class Payments extends Resource {
  /** Redirects to the checkout for a plan, or changes the plan if the caller already pays for one. */
  checkout = this.opWithQuery('GET /api/payments/checkout')

  /** Redirects to the checkout for a pack of credits. */
  credits = this.opWithQuery('GET /api/payments/credits')

  /** Buys, changes or cancels storage. A purchase fails with 503 if the deployment sells no storage. */
  storage = this.once('POST /api/stripe/storage-upgrade')

  /** Receives a signed event from the payment provider. */
  receive = this.opWithBody('POST /api/webhooks/payments')
}
