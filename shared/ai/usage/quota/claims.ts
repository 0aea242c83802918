import type { Amount } from '#shared/money/amounts/amount.ts'
import { dayOf, type Days } from '#shared/platform/days.ts'
import { expiryFor } from '#shared/platform/slots/parts.ts'
import { monthOf, nextDay, nextMonth } from '../month.ts'
import { demoCaller, isShared, partOfBooks } from '../shared-callers.ts'
import { slotExpiry } from './open-calls.ts'
import { type MonthPart, shareOfLimits } from './parts.ts'
import { type Limits, limitsOf } from './refusal.ts'
import { agentQuotaKey, type Amounts, quotaKey, spendKey, type Unit } from './row.ts'
import type { Hold } from './settlement.ts'
import type { SpendLimit } from './spend-limit.ts'

export interface QuotaRequest {
  userId: string
  /** Null for a call without an agent. */
  agentId: string | null
  plan: string
  /** Tokens per month; null for no limit. */
  limit: number | null
  /** Monthly spend cap of the user; null for none. */
  cap: Amount<'USD'> | null
  /** Monthly spend cap of the agent; null for none. */
  agentCap: Amount<'USD'> | null
  /** Further spend limits; default: none. */
  spendLimits?: readonly SpendLimit[]
  /** The maximum usage of the call. */
  amounts: Amounts
}

/** A hold on one row, with the limits of the row. */
export interface Claim {
  hold: Hold
  limits: Limits
  /** The spender of a spend row; undefined for the month of the user or the agent. */
  spends?: Pick<SpendLimit, 'of' | 'spender'> & { userId: string; days: Days }
}

/** The retention of rows after the end of their period. The usage events contain the history. */
const retentionSeconds = 31 * 86_400

/**
 * Returns the claims of a call: on the user's month, on the agent's month, and on a row for each further limit.
 * @param place the part of a shared caller
 */
export function claimsOf(request: QuotaRequest, now: number, place?: MonthPart): Claim[] {
  const { userId, agentId, plan, limit, cap, agentCap, spendLimits = [], amounts } = request
  const books = place === undefined ? userId : partOfBooks(userId, place.part)
  const limits: Limits = { of: 'user', plan, tokens: limit, cap }
  const month = monthOf(now)
  const claim = (key: Hold['key'], limits: Limits): Claim => {
    const limited = limitsOf(limits)
    const held = (unit: Unit) => (limited[unit] === undefined ? 0 : amounts[unit])
    return {
      limits,
      hold: {
        key,
        amounts: { tokens: held('tokens'), microUsd: held('microUsd') },
        expiry: expiryFor(now),
        row: undefined,
      },
    }
  }
  const user = claim(quotaKey(books, month), place ? shareOfLimits(limits, place) : limits)
  // The callers that share rows are limited by address, or are operators.
  if (!isShared(userId)) user.hold.slotUntil = slotExpiry(now)
  const claims = [user]
  if (agentId !== null) {
    // All visitors of the demo share one agent; other agents have separate rows.
    const agentBooks = agentId === demoCaller.agentId ? books : userId
    const agentLimits: Limits = { of: 'agent', plan, tokens: null, cap: agentCap }
    const agent = claim(agentQuotaKey(agentBooks, agentId, month), agentLimits)
    agent.hold.expiresAt = expiryAfter(nextMonth(now))
    claims.push(agent)
  }
  for (const { of, spender, period: length, cap } of spendLimits) {
    const isDay = length === 'day'
    const today = dayOf(now)
    const { hold, limits } = claim(spendKey(userId, spender, isDay ? today : month), {
      of,
      period: length,
      plan,
      tokens: null,
      cap,
    })
    hold.expiresAt = expiryAfter(isDay ? nextDay(now) : nextMonth(now))
    const days = { from: isDay ? today : `${month}-01`, to: today }
    claims.push({ hold, limits, spends: { of, spender, userId, days } })
  }
  return claims
}

/** Returns the expiry of a row in epoch seconds. */
function expiryAfter(end: Date): number {
  return end.getTime() / 1000 + retentionSeconds
}
