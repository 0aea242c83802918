import type { Plan } from '../../../clients/typescript/index.ts'
import { platform } from '../../app/platform.ts'
import { path } from '../../app/router.ts'

const key = 'checkout-began-at'

/** Leads to where the plan is paid, and remembers where the person was. It ends where they come back by the browser's own button. */
export async function buy(plan: Plan['name']): Promise<void> {
  sessionStorage.setItem(key, path.value)
  const answer = await platform.billing.act({ action: 'create-checkout', plan })
  if (!('url' in answer)) throw new TypeError('a checkout has an address')
  location.assign(answer.url)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}

/** Where the checkout that ends now began: the page of plans, or the newcomer's. */
export function takeCheckoutOrigin(): string {
  const origin = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  return origin === '/billing' ? origin : '/welcome'
}
