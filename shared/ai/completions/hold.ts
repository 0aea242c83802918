import { PlatformError } from '../../platform/errors.ts'
import { fromFloat } from '../../money/amount.ts'
import type { Plan } from '../../plans/plans.ts'
import { type Drawing, holdCredits, releaseCredits } from '../../usage/quota/credits.ts'
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

interface Holding {
  caller: Caller
  plan: Plan
  routes: Route[]
  sizeAt: SizeAt
}

/** What a call holds, what it may draw, and the models that may be asked for it. */
interface Held {
  reservation: Reservation
  drawing: Drawing | undefined
  routes: Route[]
}

/**
 * Holds what a call may use at most before any model is asked, and answers the models that may be: under a spend cap
 * those with a known price; once the plan's quota is used up those that a key of the user's own opens, else, on the
 * user's credits, those with a known price.
 * @throws PlatformError 403 MODEL_UNPRICED, 429 SPEND_CAP_REACHED, 429 QUOTA_EXCEEDED
 */
export async function hold(context: AiContext, holding: Holding): Promise<Held> {
  const { caller, plan, routes, sizeAt } = holding
  const { payable, microUsd } = isCapped(caller)
    ? await priced(context, holding, { why: 'A spend cap is set', or: 'clear the cap' })
    : { payable: routes, microUsd: 0 }
  const { name, monthlyTokens: limit } = plan
  const request: QuotaRequest = {
    ...caller,
    plan: name,
    limit,
    amounts: { tokens: mostTokens(payable, sizeAt), microUsd },
  }
  const drawing =
    limit === null || caller.creditMicroUsd === 0 ? undefined : { userId: caller.userId, limit }
  try {
    return { reservation: await reserve(context, request), drawing, routes: payable }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'QUOTA_EXCEEDED') throw error
    const beyond = { ...request, limit: null }
    const own = payable.filter((route) => route.own !== undefined)
    if (own.length > 0)
      return { reservation: await reserve(context, beyond), drawing: undefined, routes: own }
    if (drawing === undefined) throw error
    return onCredits(context, { holding, request: beyond, drawing, full: error })
  }
}

/** Holds what a call may cost of the user's credits, and of their caps. @throws `full` where no credits are left */
async function onCredits(
  context: AiContext,
  {
    holding,
    request,
    drawing,
    full,
  }: { holding: Holding; request: QuotaRequest; drawing: Drawing; full: PlatformError },
): Promise<Held> {
  const { userId, creditMicroUsd: balance } = holding.caller
  const { payable, microUsd: amount } = await priced(context, holding, {
    why: 'The quota is used up',
    or: 'wait for the next month',
  })
  const credits = await holdCredits(context, { userId, balance, amount })
  if (credits === undefined) throw full
  try {
    const reservation = await reserve(context, request)
    return { reservation, drawing: { ...drawing, hold: credits }, routes: payable }
  } catch (error) {
    await releaseCredits(context, { userId, hold: credits })
    throw error
  }
}

function mostTokens(routes: readonly Route[], sizeAt: SizeAt): number {
  const sizes = routes.map(sizeAt)
  return Math.max(...sizes.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens))
}

/** The routes whose price is known, and what the dearest of them may cost at most. */
async function priced(
  { catalogue }: AiContext,
  { routes, sizeAt }: Holding,
  { why, or }: { why: string; or: string },
): Promise<{ payable: Route[]; microUsd: number }> {
  const prices = await Promise.all(routes.map((route) => priceOf(catalogue, route)))
  const payable = routes.filter((_, i) => prices[i] !== undefined)
  if (payable.length === 0)
    throw new PlatformError(
      'forbidden',
      `${why}, and no price is known of ${routes[0]?.id ?? 'any model'}: ` +
        `name a model that has one, or ${or}`,
      { code: 'MODEL_UNPRICED', details: { param: 'model' } },
    )
  const dearest = prices.map((price, i) => {
    const route = routes[i]
    return price === undefined || route === undefined ? 0 : costAt(price, sizeAt(route))
  })
  return { payable, microUsd: toMicroUsd(fromFloat('USD', Math.max(...dearest), 'up')) }
}
