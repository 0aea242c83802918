import { PlatformError } from '../../platform/errors.ts'
import { fromFloat } from '../../money/amount.ts'
import type { Plan } from '../../plans/plans.ts'
import { toMicroUsd } from '../../usage/quota/micro-usd.ts'
import { type QuotaRequest, reserve } from '../../usage/quota/reserve.ts'
import type { Reservation } from '../../usage/quota/settlement.ts'
import type { Caller } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { costAt, priceOf } from '../cost.ts'
import type { Route } from '../providers/provider.ts'

/** The most tokens that a call may use where a route takes it. */
export interface Size {
  inputTokens: number
  outputTokens: number
}

export type SizeAt = (route: Route) => Size

/** Whether the user, or an agent's owner for it, has limited what calls may cost. */
export function isCapped({ cap, agentCap }: Caller): boolean {
  return cap !== null || agentCap !== null
}

/**
 * Holds what a call may use at most before any model is asked, and answers the models that may be: under a spend cap
 * those with a known price, and once the plan's quota is used up those that a key of the user's own opens.
 * @throws PlatformError 403 MODEL_UNPRICED, 429 SPEND_CAP_REACHED, 429 QUOTA_EXCEEDED
 */
export async function hold(
  context: AiContext,
  { caller, plan, routes, sizeAt }: { caller: Caller; plan: Plan; routes: Route[]; sizeAt: SizeAt },
): Promise<{ reservation: Reservation; routes: Route[] }> {
  const { payable, microUsd } = isCapped(caller)
    ? await priced(context, routes, sizeAt)
    : { payable: routes, microUsd: 0 }
  const request: QuotaRequest = {
    ...caller,
    plan: plan.name,
    limit: plan.monthlyTokens,
    amounts: { tokens: mostTokens(payable, sizeAt), microUsd },
  }
  try {
    return { reservation: await reserve(context, request), routes: payable }
  } catch (error) {
    const own = payable.filter((route) => route.own !== undefined)
    const full = error instanceof PlatformError && error.code === 'QUOTA_EXCEEDED'
    if (!full || own.length === 0) throw error
    return { reservation: await reserve(context, { ...request, limit: null }), routes: own }
  }
}

function mostTokens(routes: readonly Route[], sizeAt: SizeAt): number {
  const sizes = routes.map(sizeAt)
  return Math.max(...sizes.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens))
}

/** The routes whose price is known, and what the dearest of them may cost at most. */
async function priced(
  { catalogue }: AiContext,
  routes: Route[],
  sizeAt: SizeAt,
): Promise<{ payable: Route[]; microUsd: number }> {
  const prices = await Promise.all(routes.map((route) => priceOf(catalogue, route)))
  const payable = routes.filter((_, i) => prices[i] !== undefined)
  if (payable.length === 0)
    throw new PlatformError(
      'forbidden',
      `A spend cap is set, and no price is known of ${routes[0]?.id ?? 'any model'}: ` +
        'name a model that has one, or clear the cap',
      { code: 'MODEL_UNPRICED', details: { param: 'model' } },
    )
  const dearest = prices.map((price, i) => {
    const route = routes[i]
    return price === undefined || route === undefined ? 0 : costAt(price, sizeAt(route))
  })
  return { payable, microUsd: toMicroUsd(fromFloat('USD', Math.max(...dearest), 'up')) }
}
