import type { Stripe } from 'stripe'
import type { Engine } from '../engine.ts'
import type { PortalRecord } from '../store/records.ts'

/** Returns a billing portal session in Stripe's format. */
export function toPortal({ origin }: Engine, record: PortalRecord): Stripe.BillingPortal.Session {
  return {
    id: record.id,
    object: 'billing_portal.session',
    configuration: 'bpc_standin',
    created: record.created,
    customer: record.customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: record.returnUrl,
    url: `${origin}/p/session/${record.id}`,
  }
}
