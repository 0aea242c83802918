import type * as z from 'zod'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { inKey, walletNonceRows, paymentRows } from './rows.ts'

/** A signed payment: see paymentRows. */
export type SignedPayment = z.output<ReturnType<typeof paymentRows.declared.schema>>

/** A wallet on one chain. Its payments on other chains are separate. */
export interface Account {
  /** In lower case. */
  wallet: string
  chainId: number
}

/** Returns every signed transaction of a wallet from a nonce on, ordered by nonce and attempt. */
export async function readPayments(
  table: Table,
  { wallet, chainId }: Account,
  fromNonce: number,
): Promise<SignedPayment[]> {
  return readBetween(table, wallet, [
    paymentRows.prefix({ chain: String(chainId), nonce: inKey(fromNonce) }),
    `${paymentRows.prefix({ chain: String(chainId) })}~`,
  ])
}

/**
 * Returns the signed transactions of these nonces. Other nonces are not read, because a wallet may have signed many
 * transactions in between.
 */
export async function readTries(
  table: Table,
  { wallet, chainId }: Account,
  nonces: readonly number[],
): Promise<SignedPayment[]> {
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
): Promise<SignedPayment[]> {
  const pk = paymentRows.pk({ wallet })
  const items = await allItems((from) => table.query({ pk, between, consistent: true, ...from }))
  return items.map((item) => paymentRows.parse(item))
}

/** Groups consecutive numbers. */
function runsOf(numbers: readonly number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const run = runs.at(-1)
    if (run !== undefined && number === run.last + 1) run.last = number
    else runs.push({ first: number, last: number })
  }
  return runs
}

/** Returns the last attempt of each nonce. */
export function newestTries(payments: readonly SignedPayment[]): SignedPayment[] {
  return [...new Map(payments.map((payment) => [payment.nonce, payment])).values()]
}

/** Marks payments as dead: they are never broadcast again. */
export async function endPayments(
  table: Table,
  { wallet, chainId }: Account,
  payments: readonly SignedPayment[],
): Promise<void> {
  for (const { nonce, try: round } of payments)
    await table.update(keyOf({ wallet, chainId }, { nonce, try: round }), {
      set: { dead: true },
      if: 'attribute_exists(pk)',
    })
}

/** Returns the key of one attempt of a payment. */
export function keyOf(
  { wallet, chainId }: Account,
  { nonce, try: round }: Pick<SignedPayment, 'nonce' | 'try'>,
) {
  return paymentRows.key({
    wallet,
    chain: String(chainId),
    nonce: inKey(nonce),
    try: inKey(round, 3),
  })
}

export function nonceKey({ wallet, chainId }: Account) {
  return walletNonceRows.key({ wallet, chain: String(chainId) })
}

/** Returns the nonce of the wallet's next payment according to the platform's own payments. */
export function nextOf(row: Item | undefined): number {
  return row === undefined ? 0 : walletNonceRows.parse(row).next
}
