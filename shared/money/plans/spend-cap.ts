import { type Amount, fromFloat } from '../amounts/amount.ts'

/** USD per calendar month, by plan. A plan without an entry has no cap. */
export type PlanCaps = Readonly<Record<string, number | undefined>>

/**
 * The cap of model costs of the only plan without a token quota, in USD per month, when deployed: less than its price
 * of £499 after tax. One machine has no such cap.
 */
const unlimitedPlanCap = 500

/** Returns the operator's caps: PLAN_SPEND_CAPS_USD, or the default of the unlimited plan. */
export function planCapsOf(config: {
  deployed: boolean
  PLAN_SPEND_CAPS_USD?: PlanCaps | undefined
}): PlanCaps {
  return config.PLAN_SPEND_CAPS_USD ?? (config.deployed ? { network: unlimitedPlanCap } : {})
}

/**
 * Returns the spend cap of a user for a calendar month: the lower of the user's own cap and the operator's cap for the
 * plan. Users cannot raise the operator's cap. Null means no cap.
 * @param planCap the cap of the plan that pays; undefined without a cap
 */
export function monthlyCap(
  own: number | undefined,
  planCap: number | undefined,
): Amount<'USD'> | null {
  const caps = [own, planCap].filter((cap) => cap !== undefined)
  return caps.length === 0 ? null : fromFloat('USD', Math.min(...caps), 'up')
}
