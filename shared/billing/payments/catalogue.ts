import * as z from 'zod'
import { type PlanName, planNames, plans } from '#shared/money/plans/plans.ts'

/** The products and their prices: contract.md 9. */

/** The sizes of the credit packs. */
export const packs = [50, 200, 500] as const

const packPence = { 50: 500, 200: 1500, 500: 3000 } as const satisfies Record<number, number>

/** Billed monthly. */
const storage = { gb: 50, pence: 3900 } as const

export const purchase = () =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('plan'), plan: z.enum(planNames) }),
    z.object({ kind: z.literal('credits'), credits: z.literal(packs) }),
    z.object({ kind: z.literal('storage'), gb: z.literal(storage.gb) }),
  ])

/** The product that an order buys. */
export type Purchase = z.output<ReturnType<typeof purchase>>

/** The only storage upgrade. */
export const storageUpgrade = { kind: 'storage', gb: storage.gb } as const satisfies Purchase

const planPence = (plan: PlanName): number => Number(plans[plan].price.minor)

/** Returns the price in pence (a month's price, except for credits) and the title on the provider's page. */
export function offerOf(buys: Purchase): { pence: number; title: string } {
  switch (buys.kind) {
    case 'plan': {
      const title = `${buys.plan.charAt(0).toUpperCase()}${buys.plan.slice(1)} plan`
      return { pence: planPence(buys.plan), title }
    }
    case 'credits':
      return { pence: packPence[buys.credits], title: `${buys.credits} credits` }
    case 'storage':
      return { pence: storage.pence, title: `${storage.gb} GB of storage` }
  }
}

/** Returns the plan with this monthly price in pence. */
export function planOfPrice(pence: number | null | undefined): PlanName | undefined {
  return planNames.find((plan) => planPence(plan) === pence)
}
