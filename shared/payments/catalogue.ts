import * as z from 'zod'
import { type PlanName, planNames, plans } from '../plans/plans.ts'

/** What is sold, and for how much: contract.md 9. */

/** The sizes of the packs that credits are sold in. */
export const packs = [50, 200, 500] as const

const packPence = { 50: 500, 200: 1500, 500: 3000 } as const satisfies Record<number, number>

/** A month of storage. */
const storage = { gb: 50, pence: 3900 } as const

export const purchase = () =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('plan'), plan: z.enum(planNames) }),
    z.object({ kind: z.literal('credits'), credits: z.literal(packs) }),
    z.object({ kind: z.literal('storage'), gb: z.literal(storage.gb) }),
  ])

/** What an order is for. */
export type Purchase = z.output<ReturnType<typeof purchase>>

/** The one storage upgrade that there is. */
export const storageUpgrade = { kind: 'storage', gb: storage.gb } as const satisfies Purchase

const planPence = (plan: PlanName): number => Number(plans[plan].price.minor)

/** What a purchase costs in pence, by the month but for credits, and its name on the provider's page. */
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

/** The plan that a monthly price in pence is the price of. */
export function planOfPrice(pence: number | null | undefined): PlanName | undefined {
  return planNames.find((plan) => planPence(plan) === pence)
}
