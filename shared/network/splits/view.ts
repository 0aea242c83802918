import { amountOf, format } from '#shared/money/amounts/amount.ts'
import type { Split } from './record.ts'
import type { SplitView } from './schema.ts'

/** Returns the public form of a split: contract.md 9. */
export function viewOf(split: Split): SplitView {
  const { splitId, status, name, totalAmount, reason = null, createdAt, completedAt = null } = split
  return {
    splitId,
    status,
    name,
    totalAmount,
    currency: 'USDC',
    reason,
    createdAt,
    completedAt,
    recipients: split.recipients.map((one) => ({
      address: one.address,
      share: one.share,
      amount: format(amountOf('USDC', BigInt(one.amount)), 6),
      status: one.status,
      txHash: one.txHash ?? null,
      reason: one.reason ?? null,
    })),
  }
}
