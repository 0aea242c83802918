import { formatEther } from 'viem'
import { amountOf, format } from '#shared/money/amounts/amount.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import { gasFor } from '../chain/fees.ts'
import type { Head } from '../chain/head.ts'
import { newestTries, readPayments } from '../payments.ts'
import type { Split } from '../record.ts'
import { splitRows } from '../rows.ts'
import { moveSplit } from '../state/moves.ts'
import { changeSplit } from '../write.ts'
import type { WalletContext } from './context.ts'
import { endSplit } from './end.ts'

/**
 * Starts a queued split if its wallet can pay, and fails it otherwise: contract.md 9.
 * @returns the split in progress, or undefined if it failed or another check was first
 */
export async function beginSplit(
  ctx: WalletContext,
  head: Head,
  split: Split,
): Promise<Split | undefined> {
  if (split.status === 'processing') return split
  if (split.status !== 'queued') return undefined
  const reason = lacking(await leftOf(ctx, { head, split }), split)
  if (reason !== undefined) {
    const at = isoOf(ctx.now)
    await endSplit(ctx, split, moveSplit(split, { kind: 'refuse', reason, at }))
    return undefined
  }
  const { put, ...condition } = changeSplit(split, moveSplit(split, { kind: 'begin' }))
  return (await tryWrite(ctx.table.put(put, condition))) ? splitRows.parse(put) : undefined
}

/**
 * Returns the wallet's funds minus its other payments in progress: a later split may be in progress when a split is
 * retried.
 */
async function leftOf(
  { table, wallet, chain }: WalletContext,
  { head, split }: { head: Head; split: Split },
) {
  const account = { wallet, chainId: chain.chainId }
  const live = newestTries(await readPayments(table, account, head.count)).filter(
    ({ dead, pays }) => !dead && pays?.splitId !== split.splitId,
  )
  const committed = live.reduce((sum, { pays }) => sum + BigInt(pays?.amount ?? 0), 0n)
  return {
    usdc: head.usdc > committed ? head.usdc - committed : 0n,
    payments: live.length,
    eth: head.eth,
    fees: head.fees,
  }
}

/** Returns the reason why the wallet cannot pay the rest of a split, or undefined if it can. */
function lacking(
  { usdc, eth, fees, payments }: Awaited<ReturnType<typeof leftOf>>,
  { recipients }: Split,
): string | undefined {
  const unpaid = recipients.filter(({ status, amount }) => status === 'pending' && amount !== '0')
  const total = unpaid.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const text = (units: bigint) => format(amountOf('USDC', units))
  const beside = payments > 0 ? ' apart from its payments in progress' : ''
  if (usdc < total)
    return `The wallet has ${text(usdc)} USDC${beside}, and the split needs ${text(total)}`
  const gas = gasFor(unpaid.length + payments, fees)
  if (eth < gas)
    return `The wallet has ${formatEther(eth)} ETH, and the gas for its payments may cost ${formatEther(gas)}`
  return undefined
}
