import type { Plan } from '../../../clients/typescript/index.ts'
import { keepCheckoutOrigin } from '../../app/plan.ts'
import { platform } from '../../app/platform.ts'
import { path } from '../../app/router.ts'

/** Leads to where the plan is paid, and remembers where the person was. It ends where they come back by the browser's own button. */
export async function buy(plan: Plan['name']): Promise<void> {
  keepCheckoutOrigin(path.value)
  const answer = await platform.billing.act({ action: 'create-checkout', plan })
  if (!('url' in answer)) throw new TypeError('a checkout has an address')
  await leaveFor(answer.url)
}

/** Leads to the provider's page where storage that is paid for is changed or cancelled. It ends as `buy` does. */
export async function manageStorage(): Promise<void> {
  await leaveFor((await platform.payments.storage()).url)
}

async function leaveFor(url: string): Promise<void> {
  location.assign(url)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}
