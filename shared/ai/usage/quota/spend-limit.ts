import { type Amount, fromFloat } from '#shared/money/amounts/amount.ts'
import type { KeyLimits } from '#shared/platform/identity/actor.ts'

export type Period = 'day' | 'month'

/** A spend limit in addition to the monthly caps of a user and an agent. Periods are in UTC. */
export interface SpendLimit {
  of: 'user' | 'agent' | 'key'
  /** The id of the user, the agent or the key. */
  spender: string
  period: Period
  cap: Amount<'USD'>
}

/** Returns the daily limit of a user or an agent. @param usd undefined for none */
export function dailyLimit(
  of: 'user' | 'agent',
  spender: string,
  usd: number | undefined,
): SpendLimit[] {
  return limitOf({ of, spender, period: 'day' }, usd)
}

/** Returns the spend limits of an API key. */
export function keySpendLimits(
  keyId: string,
  { usdPerDay, usdPerMonth }: Pick<KeyLimits, 'usdPerDay' | 'usdPerMonth'>,
): SpendLimit[] {
  const key = { of: 'key', spender: keyId } as const
  return [
    ...limitOf({ ...key, period: 'month' }, usdPerMonth),
    ...limitOf({ ...key, period: 'day' }, usdPerDay),
  ]
}

function limitOf(limit: Omit<SpendLimit, 'cap'>, usd: number | undefined): SpendLimit[] {
  return usd === undefined ? [] : [{ ...limit, cap: fromFloat('USD', usd, 'up') }]
}
