import type { Billing } from '../../clients/typescript/index.ts'

/** Whether paid features are open: contract.md 4. */
export function isOpen({ subscriptionStatus }: Billing): boolean {
  return subscriptionStatus === 'active' || subscriptionStatus === 'trialing'
}

/** A plan's name as a heading. */
export function title(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

const originKey = 'checkout-began-at'

/** Keeps the path that a checkout begins at, for as long as the tab is open. */
export function keepCheckoutOrigin(path: string): void {
  sessionStorage.setItem(originKey, path)
}

/** Returns and removes the page that started the checkout: `/billing` or `/welcome`. */
export function takeCheckoutOrigin(): string {
  const origin = sessionStorage.getItem(originKey)
  sessionStorage.removeItem(originKey)
  return origin === '/billing' ? origin : '/welcome'
}
