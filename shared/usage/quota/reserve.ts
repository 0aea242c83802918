import {
  ConditionFailed,
  type Table,
  TransactionFailed,
  type Update,
} from '../../platform/table/port.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { monthOf, nextMonth } from '../month.ts'
import { type Limits, limitsOf, type Refused, refusalOf } from './refusal.ts'
import {
  agentQuotaKey,
  type Amounts,
  attributes,
  expiryFor,
  quotaKey,
  toQuota,
  type Unit,
} from './row.ts'
import { type Hold, type Reservation, sweep, sweepSeconds } from './settlement.ts'

export interface QuotaRequest {
  userId: string
  /** Null for a call without an agent. */
  agentId: string | null
  plan: string
  /** Tokens a month; null where there is no limit. */
  limit: number | null
  /** USD a month; null where there is no cap. */
  capUsd: number | null
  /** USD a month for the agent alone; null where there is no cap. */
  agentCapUsd: number | null
  /** The most that the call may use. */
  amounts: Amounts
}

interface Claim {
  hold: Hold
  limits: Limits
}

/** An agent's months go this long after their end: they are nobody's history, which usage events are. */
const keptSeconds = 31 * 86_400

/**
 * Holds a call's tokens and money before it is made, in one conditional write: a call may begin while less than each
 * limit is used or held. So however many begin at once, they pass a limit by no more than one of them uses.
 * @throws PlatformError 429 SPEND_CAP_REACHED, 429 QUOTA_EXCEEDED
 */
export async function reserve(
  table: Table,
  request: QuotaRequest,
  now = Date.now(),
): Promise<Reservation> {
  const claims = claimsOf(request, now)
  const limited = claims.filter(({ limits }) => Object.keys(limitsOf(limits)).length > 0)
  for (;;) {
    const refused = await hold(table, limited, now)
    if (refused.length === 0) return claims.map((claim) => claim.hold)
    const full = refused.filter(({ row }) => sweep(row, now) === undefined)
    if (full.length > 0) throw refusalOf(full, now)
    await Promise.all(refused.map(({ hold: { key }, row }) => free(table, key, sweep(row, now))))
  }
}

function claimsOf(request: QuotaRequest, now: number): Claim[] {
  const { userId, agentId, plan, limit, capUsd, agentCapUsd, amounts } = request
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
  const user = claim(quotaKey(userId, month), { of: 'user', plan, tokens: limit, capUsd })
  if (agentId === null) return [user]
  const agent = claim(agentQuotaKey(userId, agentId, month), {
    of: 'agent',
    plan,
    tokens: null,
    capUsd: agentCapUsd,
  })
  agent.hold.expiresAt = nextMonth(now).getTime() / 1000 + keptSeconds
  return [user, agent]
}

/** All of the claims or none. Answers those that their limits refuse, as their rows were found. */
async function hold(
  table: Table,
  claims: readonly Claim[],
  now: number,
): Promise<(Claim & Refused)[]> {
  const [only, ...others] = claims
  if (only === undefined) return []
  try {
    if (others.length === 0) {
      const { key } = only.hold
      only.hold.row = toQuota(await withoutConflicts(() => table.update(key, addition(only))))
    } else {
      // A transaction does not answer what it wrote, so no row is seen.
      const unseen: Update = {
        expression: '#sweepAt = if_not_exists(#sweepAt, :sweepAt)',
        values: { sweepAt: Math.floor(now / 1000) + sweepSeconds },
      }
      const writes = claims.map((claim) => ({
        update: claim.hold.key,
        ...addition(claim, unseen),
      }))
      await withoutConflicts(() => table.transact(writes))
    }
    return []
  } catch (error) {
    const found = claims.flatMap((claim, i) => {
      if (error instanceof ConditionFailed) return [{ ...claim, row: toQuota(error.item) }]
      if (!(error instanceof TransactionFailed && error.refused(i))) return []
      return [{ ...claim, row: toQuota(error.reasons[i]?.item) }]
    })
    if (found.length === 0) throw error
    return found
  }
}

function addition(
  { hold: { amounts, expiry, expiresAt }, limits }: Claim,
  more: Update = {},
): Update {
  const limited = Object.entries(limitsOf(limits)) as [Unit, number][]
  return {
    ...(expiresAt !== undefined && { set: { expiresAt } }),
    ...more,
    add: Object.fromEntries(
      limited.flatMap(([unit]) => [
        [attributes[unit].committed, amounts[unit]],
        [`${attributes[unit].held}${expiry}`, amounts[unit]],
      ]),
    ),
    // Where the limit is 0 an empty month is full.
    if: limited
      .map(([unit, limit]) => {
        const { committed } = attributes[unit]
        const less = `#${committed} < :${unit}`
        return limit > 0 ? `(attribute_not_exists(#${committed}) OR ${less})` : less
      })
      .join(' AND '),
    values: { ...more.values, ...Object.fromEntries(limited) },
  }
}

async function free(table: Table, key: Hold['key'], freed: Update | undefined): Promise<void> {
  if (freed === undefined) return
  await withoutConflicts(() => table.update(key, freed)).catch((error: unknown) => {
    // Somebody else swept it, or gave some of it back: what matters is the next look at the row.
    if (!(error instanceof ConditionFailed)) throw error
  })
}
