import type * as z from 'zod'
import { allItems } from '../platform/table/pages.ts'
import type { Item, Table } from '../platform/table/port.ts'
import { inKey, nonceRows, paymentRows } from './rows.ts'

/** What a wallet has signed: see paymentRows. */
export type Payment = z.output<ReturnType<typeof paymentRows.declared.schema>>

/** A wallet on a chain: what it signed on another is nothing of this one's. */
export interface Account {
  /** In lower case. */
  wallet: string
  chainId: number
}

/** All tries of a wallet's payments from a nonce on, in the order of their nonces and tries. */
export async function readPayments(
  table: Table,
  { wallet, chainId }: Account,
  fromNonce: number,
): Promise<Payment[]> {
  return readBetween(table, wallet, [
    paymentRows.prefix({ chain: String(chainId), nonce: inKey(fromNonce) }),
    `${paymentRows.prefix({ chain: String(chainId) })}~`,
  ])
}

/** All tries of some nonces and of none between them: a wallet may have signed any number since. */
export async function readTries(
  table: Table,
  { wallet, chainId }: Account,
  nonces: readonly number[],
): Promise<Payment[]> {
  const chain = String(chainId)
  const runs = await Promise.all(
    runsOf(nonces).map(({ first, last }) =>
      readBetween(table, wallet, [
        paymentRows.prefix({ chain, nonce: inKey(first) }),
        `${paymentRows.prefix({ chain, nonce: inKey(last) })}~`,
      ]),
    ),
  )
  return runs.flat()
}

async function readBetween(
  table: Table,
  wallet: string,
  between: readonly [string, string],
): Promise<Payment[]> {
  const pk = paymentRows.pk({ wallet })
  const items = await allItems((from) => table.query({ pk, between, consistent: true, ...from }))
  return items.map((item) => paymentRows.parse(item))
}

/** Numbers that follow each other, as one run. */
function runsOf(numbers: readonly number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const run = runs.at(-1)
    if (run !== undefined && number === run.last + 1) run.last = number
    else runs.push({ first: number, last: number })
  }
  return runs
}

/** The last try of each nonce. */
export function newestTries(payments: readonly Payment[]): Payment[] {
  return [...new Map(payments.map((payment) => [payment.nonce, payment])).values()]
}

/** Ends the tries of nonces for good: they are never broadcast again. */
export async function endPayments(
  table: Table,
  { wallet, chainId }: Account,
  payments: readonly Payment[],
): Promise<void> {
  for (const { nonce, try: round } of payments)
    await table.update(keyOf({ wallet, chainId }, { nonce, try: round }), {
      set: { dead: true },
      if: 'attribute_exists(pk)',
    })
}

/** The key of one try of a payment. */
export function keyOf(
  { wallet, chainId }: Account,
  { nonce, try: round }: Pick<Payment, 'nonce' | 'try'>,
) {
  return paymentRows.key({
    wallet,
    chain: String(chainId),
    nonce: inKey(nonce),
    try: inKey(round, 3),
  })
}

export function nonceKey({ wallet, chainId }: Account) {
  return nonceRows.key({ wallet, chain: String(chainId) })
}

/** The nonce that a wallet's next payment takes, as far as its own payments go. */
export function nextOf(row: Item | undefined): number {
  return row === undefined ? 0 : nonceRows.parse(row).next
}
