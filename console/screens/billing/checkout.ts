import type { Plan } from '../../../clients/typescript/index.ts'
import { storeCheckoutOrigin } from '../../base/plan.ts'
import { platform } from '../../base/platform.ts'
import { path } from '../../base/router.ts'

/**
 * Redirects to the checkout of the plan, and stores the current page. Resolves if the user returns with the Back
 * button.
 */
export async function buy(plan: Plan['name']): Promise<void> {
  storeCheckoutOrigin(path.value)
  const answer = await platform.billing.act({ action: 'create-checkout', plan })
  if (!('url' in answer)) throw new TypeError('a checkout has an address')
  await leaveFor(answer.url)
}

/** Redirects to the provider's page to buy storage, or to cancel it. Resolves as `buy` does. */
export async function manageStorage(): Promise<void> {
  await leaveFor((await platform.payments.storage()).url)
}

async function leaveFor(url: string): Promise<void> {
  location.assign(url)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}
