import { encodePaymentSignatureHeader } from '@x402/core/http'
import { unpaidCost } from '#shared/ai/turns/cost.ts'
import { claimExpiry } from '#shared/billing/payments/claims/expiry.ts'
import type { X402Payment } from '#shared/money/x402/payment.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Sale, saleRows, salesDue, pendingAttributes } from './rows.ts'

/** Longer than the timeout of the selling function, so that the request that opened the sale has ended. */
const firstLookMs = 65_000

/** The fields that identify a sale. */
export type SaleKey = Pick<Sale, 'userId' | 'agentId' | 'payment'>

export interface NewSale {
  userId: string
  agentId: string
  payment: X402Payment
  turn: string | undefined
  sharePercent: number
  /** Epoch seconds of an earlier settlement request with unknown outcome. */
  settlingSince: number | undefined
}

/**
 * Returns the writes of an agent's sale, for the transaction of its payment's claim: `asked` opens the sale before the
 * settlement is requested, `reopened` opens a void sale again before another settlement request, so that the schedule
 * finds it, and `refused` makes it void. A settled sale is never opened again.
 */
export async function saleParts(table: Table, { payment, settlingSince, ...sold }: NewSale) {
  const { userId, agentId, turn } = sold
  const key: SaleKey = { userId, agentId, payment: payment.id }
  const cost = turn === undefined ? undefined : await unpaidCost(table, { userId, name: turn })
  const signed = encodePaymentSignatureHeader(payment.payload)
  const dueOf = ({ since }: Sale) => salesDue.at(payment.id, since * 1000 + firstLookMs)
  const asked = (since: number): Parts => {
    const sale: Sale = {
      ...key,
      state: 'settling',
      since,
      validBefore: payment.validBefore,
      signed,
      ...(turn !== undefined && { turn }),
      sharePercent: sold.sharePercent,
      // USDC has six decimals, so its smallest unit is a millionth of a dollar.
      price: Number(payment.authorization.value),
      tokenCost: cost?.unpaid ?? 0,
    }
    const unless = {
      if: 'attribute_not_exists(pk) OR #state <> :settled',
      values: { settled: 'settled' },
    }
    return { sale: { put: saleRows.put(key, sale, dueOf(sale)), ...unless } }
  }
  const item = settlingSince === undefined ? undefined : await table.get(saleRows.key(key))
  const stored = item && saleRows.parse(item)
  const refused: Parts = {
    sale: {
      update: saleRows.key(key),
      set: { state: 'void', expiresAt: claimExpiry(payment) },
      remove: pendingAttributes,
      if: '#state = :settling',
      values: { settling: 'settling' },
    },
  }
  return { key, beside: { asked, refused, reopened: stored && reopenedPart(stored) } }

  function reopenedPart({ expiresAt: _, ...sale }: Sale): Parts | undefined {
    if (sale.state !== 'void') return undefined
    const { since, firstSince = since } = sale
    const again: Sale = {
      ...sale,
      state: 'settling',
      since: epochSeconds(),
      firstSince,
      signed,
    }
    const unchanged = {
      if: '#state = :void AND #since = :since',
      values: { void: 'void', since },
    }
    return { sale: { put: saleRows.put(key, again, dueOf(again)), ...unchanged } }
  }
}
