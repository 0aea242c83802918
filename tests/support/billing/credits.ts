import { expect } from 'vitest'
import { profileKey, toUser } from '#shared/accounts/users/user.ts'
import { toMicroUsd } from '#shared/money/ledger/credit.ts'
import { postCredits } from '#shared/money/ledger/post.ts'
import { creditRows } from '#shared/money/ledger/rows.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

/** Gives a user credits, as a paid order does. */
export async function grantCredits(
  table: Table,
  userId: string,
  credits: number,
  ref: string = newSeed(),
): Promise<void> {
  await changeItem(userStore(table, userId).row(profileKey), (item) => {
    if (item === undefined) throw new Error('no user')
    const granted = { microUsd: toMicroUsd(credits), reason: 'grant', ref } as const
    const { balance, posting, once } = postCredits(userId, toUser(item), granted)
    return { update: balance, also: { posting, once } }
  })
}

/**
 * Returns a user's postings in order, and the balance of their row, in millionths of a dollar. Fails if the numbers of
 * the postings have a gap, if a posting's balance is not the sum so far, or if a balance was negative.
 */
export async function creditsOf(table: Table, userId: string) {
  const store = userStore(table, userId)
  const item = await store.get(profileKey)
  const rows = await allItems((from) => store.query({ beginsWith: creditRows.prefix(), ...from }))
  const postings = rows.map(creditRows.parse)
  let sum = 0
  for (const [i, { microUsd, balanceMicroUsd }] of postings.entries()) {
    sum += microUsd
    expect(rows[i]?.sk).toBe(creditRows.sk({ number: String(i + 1).padStart(10, '0') }))
    expect(balanceMicroUsd).toBe(sum)
    expect(sum).toBeGreaterThanOrEqual(0)
  }
  expect(item?.creditMicroUsd ?? 0).toBe(sum)
  expect(item?.creditPostings ?? 0).toBe(postings.length)
  const slots = Object.entries(item ?? {}).filter(([name]) => name.startsWith('creditsHeld_'))
  const held = slots.reduce((total, [, amount]) => total + Number(amount), 0)
  expect(Number(item?.creditsHeld ?? 0)).toBe(held)
  return { postings, balance: sum, held }
}
