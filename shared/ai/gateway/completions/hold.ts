import { limitedKeyOfTurn, namedTurn } from '#shared/ai/turns/cost.ts'
import type { QuotaRequest } from '#shared/ai/usage/quota/claims.ts'
import { type Drawing, holdCredits, releaseCredits } from '#shared/ai/usage/quota/credits.ts'
import { toMicroUsd } from '#shared/ai/usage/quota/micro-usd.ts'
import { release } from '#shared/ai/usage/quota/release.ts'
import { reserve, reserveFitting } from '#shared/ai/usage/quota/reserve.ts'
import type { Reservation } from '#shared/ai/usage/quota/settlement.ts'
import { keySpendLimits } from '#shared/ai/usage/quota/spend-limit.ts'
import { quotaTokens } from '#shared/ai/usage/quota/unit-tokens.ts'
import { fromFloat } from '#shared/money/amounts/amount.ts'
import type { Plan } from '#shared/money/plans/plans.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Caller } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { maxCostAt, priceOf } from '../cost.ts'
import type { Price } from '../price.ts'
import type { Route } from '../providers/provider.ts'
import type { Size } from '../usage.ts'
import type { AnswerLimit } from './limit.ts'

/** @param tokens the tokens of each choice of the answer */
export type SizeAt = (route: Route, tokens: number) => Size

/** True if the user or the agent's owner has limited the cost of calls. */
export function isCapped({ cap, agentCap, spendLimits }: Caller): boolean {
  return cap !== null || agentCap !== null || spendLimits.length > 0
}

/** Adds the spend limits of the API key that started the turn of an agent's call. */
export async function withTurnLimits(
  { table }: Pick<AiContext, 'table'>,
  { caller, tracestate }: { caller: Caller; tracestate?: string | null | undefined },
): Promise<Caller> {
  const turn = namedTurn(caller, tracestate)
  if (turn === undefined) return caller
  const key = await limitedKeyOfTurn(table, turn, tracestate ?? '')
  if (key === undefined) return caller
  const { keyId, limits } = key
  return { ...caller, spendLimits: [...caller.spendLimits, ...keySpendLimits(keyId, limits)] }
}

interface Holding {
  caller: Caller
  plan: Plan
  routes: Route[]
  sizeAt: SizeAt
  limit: AnswerLimit
  /** The caller's `tracestate` header. The header of an agent contains its turn. */
  tracestate?: string | null | undefined
}

/** The reservation of a call, the credits that it can use, and the models that can be tried. */
interface Held {
  reservation: Reservation
  drawing: Drawing | undefined
  routes: Route[]
  /** The requested limit, or what remains of the quota and the caps if that is less. */
  limit: AnswerLimit
}

/**
 * Reserves the maximum usage of a call before any model is tried, and returns the possible models. With a spend cap,
 * these are the models with a known price. If the plan's quota is used up, these are the models that the user has own
 * keys for, and with credits also the models with a known price.
 * @throws PlatformError 403 MODEL_UNPRICED, 429 SPEND_CAP_REACHED, 429 QUOTA_EXCEEDED, 429 TOO_MANY_OPEN
 */
export async function hold(context: AiContext, holding: Holding): Promise<Held> {
  const { caller, plan, routes, limit } = holding
  const choice = isCapped(caller)
    ? await priced(context, holding, { why: 'A spend cap is set', or: 'clear the cap' })
    : { payable: routes, prices: [] }
  const { payable } = choice
  const { name, monthlyTokens } = plan
  const amountsAt = amountsOf(choice, holding)
  const request: QuotaRequest = {
    ...caller,
    plan: name,
    limit: monthlyTokens,
    amounts: amountsAt(limit.tokens),
  }
  const drawing =
    monthlyTokens === null || caller.creditMicroUsd === 0
      ? undefined
      : { userId: caller.userId, limit: monthlyTokens }
  const reserved = async (asked: QuotaRequest) => {
    // Above the quota the call uses credits, so the quota does not shorten the answer.
    if (limit.fromCaller || !limit.isSent || drawing !== undefined)
      return { reservation: await reserve(context, asked), limit }
    const fitting = { ...asked, tokens: limit.tokens, amountsAt }
    const { reservation, tokens } = await reserveFitting(context, fitting)
    return { reservation, limit: { ...limit, tokens } }
  }
  try {
    return { ...(await reserved(request)), drawing, routes: payable }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'QUOTA_EXCEEDED') throw error
    const beyond = { ...request, limit: null }
    const own = payable.filter((route) => route.own !== undefined)
    if (own.length > 0) return { ...(await reserved(beyond)), drawing: undefined, routes: own }
    if (drawing === undefined) throw error
    return onCredits(context, { holding, request: beyond, drawing, full: error })
  }
}

/**
 * Reserves the possible cost of a call from the user's credits and caps.
 * @throws `full` if the user has no credits, or if a sold answer would cost the user more credits than it earns
 */
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
  const choice = await priced(context, holding, {
    why: 'The quota is used up',
    or: 'wait for the next month',
  })
  const { microUsd: amount } = amountsOf(choice, holding)(holding.limit.tokens)
  const turn = namedTurn(holding.caller, holding.tracestate)
  // In parallel, because the call waits for both writes.
  const [held, reserved] = await Promise.allSettled([
    holdCredits(context, { userId, balance, amount, turn }),
    reserve(context, request),
  ])
  const credits = held.status === 'fulfilled' ? held.value : undefined
  if (credits !== undefined && reserved.status === 'fulfilled')
    return {
      reservation: reserved.value,
      drawing: { ...drawing, hold: credits },
      routes: choice.payable,
      limit: holding.limit,
    }
  if (reserved.status === 'fulfilled') await release(context, { reservation: reserved.value })
  if (credits !== undefined) await releaseCredits(context, { userId, hold: credits })
  if (held.status === 'rejected') throw held.reason
  throw credits !== undefined && reserved.status === 'rejected' ? reserved.reason : full
}

interface Payable {
  payable: Route[]
  /** The prices of the routes. Empty if the call reserves no cost. */
  prices: Price[]
}

/** The maximum usage of a call on the most expensive route, by the length of its answer. */
function amountsOf({ payable, prices }: Payable, { sizeAt }: Holding) {
  return (tokens: number): QuotaRequest['amounts'] => {
    const sizes = payable.map((route) => sizeAt(route, tokens))
    const costs = sizes.map((size, i) => {
      const price = prices[i]
      return (price && maxCostAt(price, size)) ?? 0
    })
    return {
      tokens: Math.max(...sizes.map((size) => quotaTokens(size, size.units))),
      microUsd: toMicroUsd(fromFloat('USD', Math.max(...costs), 'up')),
    }
  }
}

/** Returns the routes with a known price. @throws PlatformError 403 MODEL_UNPRICED without any */
async function priced(
  { catalogue }: AiContext,
  { routes, sizeAt, limit }: Holding,
  { why, or }: { why: string; or: string },
): Promise<Payable> {
  const found = await Promise.all(routes.map((route) => priceOf(catalogue, route)))
  const prices = found.map((price, i) => {
    const route = routes[i]
    const cost = price && route && maxCostAt(price, sizeAt(route, limit.tokens))
    return cost === undefined ? undefined : price
  })
  const payable = routes.filter((_, i) => prices[i] !== undefined)
  if (payable.length === 0)
    throw new PlatformError(
      'forbidden',
      `${why}, and ${routes[0]?.id ?? 'no model'} has no known price: ` +
        `use a model with a known price, or ${or}`,
      { code: 'MODEL_UNPRICED', details: { param: 'model' } },
    )
  return { payable, prices: prices.filter((price) => price !== undefined) }
}
