import { userRows } from '#shared/accounts/users/rows.ts'
import { type CreditAccount, postCredits } from '#shared/money/ledger/post.ts'
import {
  expiryFor,
  releaseSlot,
  acquireSlot,
  type Slots,
  slotsIn,
  sweepOf,
  sweepPart,
} from '#shared/platform/slots/parts.ts'
import { ConditionFailed, type Item, type Table, type Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { holdDraw, type NamedTurn, releaseDraw } from '../../turns/cost.ts'

/** The attributes of a user's row for credits, and the amounts that calls in progress hold. */
export interface CreditRow extends CreditAccount {
  held: Slots
}

/** The credits that a call in progress holds. */
export interface CreditHold {
  /** The highest possible cost of the call. */
  amount: number
  /** The expiry of the slot in epoch seconds. */
  expiry: number
  /** The row after the hold; absent if unknown. */
  row?: CreditRow | undefined
  /** The turn that holds the amount too; absent if it may draw any amount. */
  turn?: NamedTurn | undefined
}

/** The credits that a settled call may draw. */
export interface Drawing {
  userId: string
  /** The plan's tokens per month. */
  limit: number
  /** Absent for a call that began within the quota: only its part above the quota is drawn. */
  hold?: CreditHold | undefined
}

const names = { committed: 'creditsHeld', held: 'creditsHeld_' } as const

const nothing: Omit<CreditHold, 'row'> = { amount: 0, expiry: 0 }

export function toCreditRow(item: Item): CreditRow {
  const { creditMicroUsd, creditPostings } = userRows.parse(item)
  return { creditMicroUsd, creditPostings, held: slotsIn(item, names) }
}

/** Returns a user's current credits, or undefined if the user is deleted. */
export async function findCredits(table: Table, userId: string): Promise<CreditRow | undefined> {
  const item = await table.get(userRows.key({ userId }))
  return item && toCreditRow(item)
}

interface Held {
  userId: string
  /** The balance that the caller has read. */
  balance: number
  amount: number
}

/**
 * Holds a call's highest possible cost, against the balance and against the maximum draw of its turn.
 * @returns undefined if no credits are left, or if the turn would draw too much
 */
export async function holdCredits(
  ctx: { table: Table },
  { turn, ...wanted }: Held & { turn?: NamedTurn | undefined },
  now = Date.now(),
): Promise<CreditHold | undefined> {
  const { amount } = wanted
  const draw = turn === undefined ? 'unlimited' : await holdDraw(ctx.table, turn, amount)
  if (draw === 'full') return undefined
  const limited = draw === 'held' ? turn : undefined
  const hold = await holdBalance(ctx, wanted, now)
  if (hold === undefined && limited !== undefined) await releaseDraw(ctx.table, limited, amount)
  return hold && { ...hold, turn: limited }
}

/**
 * Holds a call's highest possible cost in one conditional write. A call may start if less than the balance is held, so
 * concurrent calls together exceed the balance by less than one call. The draws never exceed it, because no posting
 * takes more than the balance.
 * @returns undefined if no credits are left
 */
async function holdBalance(
  { table }: { table: Table },
  { userId, balance, amount }: Held,
  now: number,
): Promise<CreditHold | undefined> {
  const key = userRows.key({ userId })
  const expiry = expiryFor(now)
  return retryOptimistically(async () => {
    try {
      const item = await table.update(key, {
        // A row from before the ledger has its balance in another attribute, which never changes.
        expression: '#creditMicroUsd = if_not_exists(#creditMicroUsd, :balance)',
        add: acquireSlot(names, { amount, expiry }),
        if:
          'attribute_exists(pk) AND (attribute_not_exists(#creditMicroUsd) OR #creditMicroUsd > :none) AND ' +
          '(attribute_not_exists(#creditsHeld) OR #creditsHeld < #creditMicroUsd)',
        values: { balance, none: 0 },
      })
      return { amount, expiry, row: toCreditRow(item) }
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      const freed = error.item && sweepOf([sweepPart(names, toCreditRow(error.item).held, now)])
      if (freed === undefined) return undefined
      // If another call released the holds first, the loop reads the row again.
      await tryWrite(table.update(key, freed))
      return overtaken
    }
  })
}

/** Releases the hold of a call that used nothing. */
export async function releaseCredits(
  { table }: { table: Table },
  { userId, hold }: { userId: string; hold: CreditHold },
  now = Date.now(),
): Promise<void> {
  if (hold.turn !== undefined) await releaseDraw(table, hold.turn, hold.amount)
  let row = hold.row ?? (await findCredits(table, userId))
  await retryOptimistically(async () => {
    if (row === undefined) return undefined
    const { credits } = creditWrites({ userId, hold }, row, { microUsd: 0, ref: '' }, now)
    if (credits === undefined) return undefined
    const { update: key, ...update } = credits
    try {
      await table.update(key, update)
      return undefined
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      row = error.item && toCreditRow(error.item)
      return overtaken
    }
  })
}

/** The writes of a settlement that concern credits. `credits` is rejected if `row` is outdated. */
export type CreditWrites = {
  credits?: Extract<Write, { update: unknown }>
  posting?: Write
}

/**
 * Releases a call's hold and draws its cost beyond the quota, up to the balance. Returns no writes if the call has no
 * hold and no cost beyond the quota.
 * @param drawn the cost beyond the quota, and the id of the usage event
 */
export function creditWrites(
  { userId, hold = nothing }: { userId: string; hold?: Omit<CreditHold, 'row'> | undefined },
  row: CreditRow,
  { microUsd, ref }: { microUsd: number; ref: string },
  now: number,
): CreditWrites {
  const { conditions, values, ...back } = releaseSlot(names, hold, row.held, now)
  const draw = postCredits(userId, row, { microUsd: -microUsd, reason: 'use', ref }, now)
  const draws = draw.microUsd < 0
  if (!draws && conditions.length === 0) return {}
  const { balance } = draw
  return {
    credits: {
      update: userRows.key({ userId }),
      ...back,
      ...(draws && { set: balance.set }),
      if: [...(draws ? [balance.if] : []), ...conditions].join(' AND '),
      values: { ...values, ...(draws && balance.values) },
    },
    ...(draws && { posting: draw.posting }),
  }
}
