import { userRows } from '../../accounts/rows.ts'
import { type CreditAccount, postCredits } from '../../ledger/post.ts'
import { ConditionFailed, type Item, type Table, type Write } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import {
  expiryFor,
  giveBack,
  heldBy,
  type Slots,
  slotsIn,
  sweepOf,
  sweepPart,
} from '../../platform/slots/parts.ts'

/** A user's row, as far as it tells of their credits and what calls under way hold of them. */
export interface CreditRow extends CreditAccount {
  held: Slots
}

/** What a call under way holds of its user's credits. */
export interface CreditHold {
  /** The most that the call may cost. */
  amount: number
  /** Epoch second of the slot. */
  expiry: number
  /** The row as the hold left it; absent where that is not known. */
  row?: CreditRow | undefined
}

/** What a call may draw once it has settled. */
export interface Drawing {
  userId: string
  /** The plan's tokens a month. */
  limit: number
  /** Absent for a call that the quota let in: only what it uses beyond the quota's end is drawn. */
  hold?: CreditHold | undefined
}

const names = { committed: 'creditsHeld', held: 'creditsHeld_' } as const

const nothing: Omit<CreditHold, 'row'> = { amount: 0, expiry: 0 }

export function toCreditRow(item: Item): CreditRow {
  const { creditMicroUsd, creditPostings } = userRows.parse(item)
  return { creditMicroUsd, creditPostings, held: slotsIn(item, names) }
}

/** A user's credits as they are now; undefined for a user who is gone. */
export async function findCredits(table: Table, userId: string): Promise<CreditRow | undefined> {
  const item = await table.get(userRows.key({ userId }))
  return item && toCreditRow(item)
}

/**
 * Holds what a call may cost at most, in one conditional write: a call may begin while less than the balance is held.
 * So however many begin at once, what they cost together passes the balance by less than one of them may cost; and what
 * they draw never does, since no posting takes more than there is.
 * @param balance as the caller's row was read
 * @returns undefined where no credits are left
 */
export async function holdCredits(
  { table }: { table: Table },
  { userId, balance, amount }: { userId: string; balance: number; amount: number },
  now = Date.now(),
): Promise<CreditHold | undefined> {
  const key = userRows.key({ userId })
  const expiry = expiryFor(now)
  for (;;) {
    try {
      const item = await table.update(key, {
        // A row that is older than the ledger has its balance in another attribute, which nothing changes.
        expression: '#creditMicroUsd = if_not_exists(#creditMicroUsd, :balance)',
        add: heldBy(names, { amount, expiry }),
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
      // Where another call swept it, what matters is the next look at the row.
      await written(table.update(key, freed))
    }
  }
}

/** Gives back what a call held that used nothing. */
export async function releaseCredits(
  { table }: { table: Table },
  { userId, hold }: { userId: string; hold: CreditHold },
  now = Date.now(),
): Promise<void> {
  let row = hold.row ?? (await findCredits(table, userId))
  while (row !== undefined) {
    const { credits } = creditWrites({ userId, hold }, row, { microUsd: 0, ref: '' }, now)
    if (credits === undefined) return
    const { update: key, ...update } = credits
    try {
      await table.update(key, update)
      return
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      row = error.item && toCreditRow(error.item)
    }
  }
}

/** The parts of a settlement that concern credits; `credits` is refused where `row` is no longer true. */
export type CreditWrites = {
  credits?: Extract<Write, { update: unknown }>
  posting?: Write
}

/**
 * Gives back what a call held and draws what it cost beyond the quota, as far as there is a balance. Without either it
 * writes nothing.
 * @param drawn what the call cost beyond the quota, and the usage event that says so
 */
export function creditWrites(
  { userId, hold = nothing }: { userId: string; hold?: Omit<CreditHold, 'row'> | undefined },
  row: CreditRow,
  { microUsd, ref }: { microUsd: number; ref: string },
  now: number,
): CreditWrites {
  const { conditions, values, ...back } = giveBack(names, hold, row.held, now)
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
