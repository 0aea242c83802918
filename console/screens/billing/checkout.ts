import { platform } from '../../app/platform.ts'
import { path } from '../../app/router.ts'
import type { PlanItem } from '../../app/shapes.ts'

const key = 'checkout-began-at'

/** Leads to where the plan is paid, and remembers where the person was. */
export async function buy(plan: PlanItem['name']): Promise<void> {
  sessionStorage.setItem(key, path.value)
  const { url } = await platform.post<{ url: string }>(
    '/api/billing',
    { action: 'create-checkout', plan },
    { headers: { 'idempotency-key': crypto.randomUUID() } },
  )
  location.assign(url)
}

/** Where the checkout that ends now began: the page of plans, or the newcomer's. */
export function takeCheckoutOrigin(): string {
  const origin = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  return origin === '/billing' ? origin : '/welcome'
}
