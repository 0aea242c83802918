import { numbered, tryCommit } from '#shared/platform/table/commit.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { monthOf } from '../month.ts'
import { rowOwnersOf, isShared, partOfBooks, partsByChance } from '../shared-callers.ts'
import { claimWrite, type Fit, firstSweep } from './claim-write.ts'
import { type Claim, claimsOf, type QuotaRequest } from './claims.ts'
import { makeRoom } from './make-room.ts'
import { partsUnder, sumOf } from './parts.ts'
import { isCrowded, type Limits, limitsOf, type QuotaRefusal, refusalOf } from './refusal.ts'
import { type Amounts, quotaKey, type QuotaRow, toQuota, type Unit } from './row.ts'
import type { Reservation } from './settlement.ts'

/**
 * Reserves a call's tokens and cost in one conditional write before the call. A call may start if less than each limit
 * is used or held, so concurrent calls together exceed a limit by less than one call. A shared caller's month has
 * parts, each with its share of the limit; together they exceed a limit by less than one call per part.
 * The same write takes a slot of the user's open calls (contract.md 20).
 * @throws PlatformError 429 SPEND_CAP_REACHED, 429 QUOTA_EXCEEDED, 429 TOO_MANY_OPEN
 */
export async function reserve(
  { table }: { table: Table },
  request: QuotaRequest,
  now = Date.now(),
): Promise<Reservation> {
  if (isShared(request.userId)) return reserveInParts(table, request, now)
  const claimed = await tryClaims(table, claimsOf(request, now), now)
  if ('full' in claimed) throw refusalOf(claimed.full, now)
  return claimed.reservation
}

/** A call whose answer can be shortened to the rest of the limits. */
export interface FittingRequest extends Omit<QuotaRequest, 'amounts'> {
  /** The maximum number of tokens that a choice of the answer may have. */
  tokens: number
  /** Returns the maximum usage of the call with choices of this length. */
  amountsAt(tokens: number): Amounts
}

/**
 * Reserves a call as `reserve` does, and shortens its answer to the rest of the limits. If the whole call fits, as most
 * calls do, this is one write. The month of a shared caller is split into several rows, and no single row contains the
 * whole remainder, so its answers are not shortened.
 * @returns the reservation, and the maximum number of tokens of a choice
 * @throws PlatformError 429 SPEND_CAP_REACHED, 429 QUOTA_EXCEEDED, 429 TOO_MANY_OPEN
 */
export async function reserveFitting(
  { table }: { table: Table },
  { amountsAt, ...request }: FittingRequest,
  now = Date.now(),
): Promise<{ reservation: Reservation; tokens: number }> {
  let { tokens } = request
  if (isShared(request.userId)) {
    const amounts = amountsAt(tokens)
    return { reservation: await reserve({ table }, { ...request, amounts }, now), tokens }
  }
  for (;;) {
    const claims = claimsOf({ ...request, amounts: amountsAt(tokens) }, now)
    // An accepted call may write one token, no matter how long its prompt is.
    const refused = await hold(table, limitedAmong(claims), { now, whole: tokens > 1 })
    if (refused.length === 0) return { reservation: claims.map((claim) => claim.hold), tokens }
    if (await makeRoom(table, refused, now)) continue
    const full = refused.filter(({ limits, row }) => isFull(limits, row) || isCrowded(row))
    if (full.length > 0) throw refusalOf(full, now)
    tokens = longest(tokens - 1, (length) => {
      const amounts = amountsAt(length)
      return refused.every(({ limits, row }) => hasRoom(limits, row, amounts))
    })
  }
}

function isFull(limits: Limits, row: QuotaRow): boolean {
  return !hasRoom(limits, row, { tokens: 1, microUsd: 1 })
}

function hasRoom(limits: Limits, row: QuotaRow, amounts: Amounts): boolean {
  const entries = Object.entries(limitsOf(limits)) as [Unit, number][]
  return entries.every(([unit, limit]) => row[unit].committed + amounts[unit] <= limit)
}

/** Returns the largest number that fits, at least 1. */
function longest(most: number, fits: (tokens: number) => boolean): number {
  let [low, high] = [1, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Reserves in the first part with room, starting with a random part. */
async function reserveInParts(
  table: Table,
  request: QuotaRequest,
  now: number,
): Promise<Reservation> {
  const { userId, plan, limit, cap } = request
  const limits: Limits = { of: 'user', plan, tokens: limit, cap }
  const parts = partsUnder(limits)
  // Usage outside these parts reduces their room, because all parts share one limit.
  const inUse = new Set(partsByChance(parts).map((part) => partOfBooks(userId, part)))
  const isLimited = Object.keys(limitsOf(limits)).length > 0
  const elsewhere = isLimited ? rowOwnersOf(userId).filter((name) => !inUse.has(name)) : []
  const rows = await table.getMany(elsewhere.map((name) => quotaKey(name, monthOf(now))))
  const outside = sumOf(rows.map(toQuota))
  const refused: QuotaRefusal[] = []
  for (const part of partsByChance(parts)) {
    const claimed = await tryClaims(table, claimsOf(request, now, { part, parts, outside }), now)
    if (!('full' in claimed)) return claimed.reservation
    const others = claimed.full.filter(
      ({ limits: { of, period } }) => of !== 'user' || period !== undefined,
    )
    if (others.length > 0) throw refusalOf(others, now)
    refused.push(...claimed.full)
  }
  throw refusalOf([{ limits, row: sumOf([outside, ...refused.map(({ row }) => row)]) }], now)
}

async function tryClaims(
  table: Table,
  claims: readonly Claim[],
  now: number,
): Promise<{ reservation: Reservation } | { full: QuotaRefusal[] }> {
  const limited = limitedAmong(claims)
  for (;;) {
    const refused = await hold(table, limited, { now, whole: false })
    if (refused.length === 0) return { reservation: claims.map((claim) => claim.hold) }
    if (!(await makeRoom(table, refused, now))) return { full: refused }
  }
}

function limitedAmong(claims: readonly Claim[]): Claim[] {
  return claims.filter(
    ({ hold, limits }) => hold.slotUntil !== undefined || Object.keys(limitsOf(limits)).length > 0,
  )
}

interface Holding extends Fit {
  now: number
}

/**
 * Holds all claims or none.
 * @returns the claims that exceed their limits, with their rows
 */
async function hold(
  table: Table,
  claims: readonly Claim[],
  holding: Holding,
): Promise<(Claim & QuotaRefusal)[]> {
  const [only, ...others] = claims
  if (only === undefined) return []
  if (others.length > 0) return holdTogether(table, claims, holding)
  try {
    only.hold.row = toQuota(await table.update(only.hold.key, claimWrite(only, holding)))
    return []
  } catch (error) {
    if (error instanceof ConditionFailed) return [{ ...only, row: toQuota(error.item) }]
    throw error
  }
}

/** Holds several claims in one transaction. A transaction does not return the rows, so they are unknown. */
async function holdTogether(
  table: Table,
  claims: readonly Claim[],
  { now, ...holding }: Holding,
): Promise<(Claim & QuotaRefusal)[]> {
  const writes = claims.map((claim) => ({
    update: claim.hold.key,
    ...claimWrite(claim, holding, firstSweep(now)),
  }))
  const refusals = await tryCommit(table, numbered('claim', writes))
  return claims.flatMap((claim, i) => {
    const refusal = refusals?.[`claim${i}`]
    return refusal === undefined ? [] : [{ ...claim, row: toQuota(refusal.item) }]
  })
}
