import { decodePaymentSignatureHeader } from '@x402/core/http'
import { claimExpiry } from '#shared/billing/payments/claims/expiry.ts'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { wasSettled } from '#shared/money/x402/facilitator.ts'
import { PaymentRefused, readPayment } from '#shared/money/x402/payment.ts'
import { type PaymentTerms, requireTerms, type TermsSettings } from '#shared/money/x402/terms.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Update } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { type Sale, saleRows, salesDue, pendingAttributes } from './rows.ts'
import { settleSale } from './settle.ts'

/** The bounds of the time between two checks of a sale, in milliseconds. Within them, it equals the age of the sale. */
const pauseMs = { least: 60_000, most: 6 * 3_600_000 }

/**
 * Times in seconds. A requested settlement is executed within a day or never. A block from before the deadline can
 * become known five minutes late. A sale whose outcome stays unknown, for example without a node, waits for 30 days, so
 * that an operator can add a node.
 */
const seconds = { longest: 86_400, late: 300, unproven: 30 * 86_400 }

/** The time after which a tick starts no more checks, in milliseconds. The function's timeout is one minute. */
const tickMs = 40_000

interface HasTerms {
  config: TermsSettings & { X402_PRICE_USD: string }
}

/**
 * Finishes the sales of killed processes: looks up whether the payment was settled, and settles the sale or makes it
 * void. A payment that can still be settled, or whose outcome is unknown, is checked again later. Only the chain proves
 * a payment here: without EVM_RPC_URL, no owner is credited, because a facilitator cannot distinguish a payment from a
 * cancelled one. A sale has no lease: a check only reads, and its write requires the state and `since` that it read.
 * @returns the number of settled, void and waiting sales
 */
export async function tickSales(
  ctx: Pick<Context, 'table' | 'log'> & HasTerms,
  now = Date.now(),
): Promise<{ settled: number; void: number; waiting: number }> {
  const counts = { settled: 0, void: 0, waiting: 0 }
  const failures: unknown[] = []
  const deadline = Date.now() + tickMs
  await visitDue(ctx.table, { partitions: salesDue.partitions, now }, async (items) => {
    for (const item of items) {
      if (Date.now() > deadline) break
      try {
        counts[await finish(ctx, saleRows.parse(item), now)]++
      } catch (error) {
        // An error must not stop the other sales of this tick.
        failures.push(error)
      }
    }
    return 0
  })
  if (failures.length > 0) throw new AggregateError(failures, 'sales could not be finished')
  return counts
}

async function finish(
  ctx: Pick<Context, 'table' | 'log'> & HasTerms,
  sale: Sale,
  now: number,
): Promise<'settled' | 'void' | 'waiting'> {
  const { userId, agentId, payment, since } = sale
  const key = { userId, agentId, payment }
  const outcome = await outcomeOf(ctx, sale, now)
  if (outcome === 'settled') {
    const actor = { type: 'platform', askedBy: 'platform' } as const
    const requestId = newId(idPrefixes.request)
    const sold = { table: ctx.table, actor, requestId }
    return (await settleSale(sold, { key, onlySince: since }, now)) ?? outcome
  }
  const change: Update =
    outcome === 'void'
      ? { set: { state: 'void', expiresAt: claimExpiry(sale) }, remove: pendingAttributes }
      : { set: salesDue.at(payment, now + pauseOf(sale, now)) }
  const unchanged = {
    if: '#state = :settling AND #since = :since',
    values: { settling: 'settling', since },
  }
  await tryWrite(ctx.table.update(saleRows.key(key), { ...change, ...unchanged }))
  return outcome
}

function pauseOf({ since }: Sale, now: number): number {
  return Math.min(pauseMs.most, Math.max(pauseMs.least, now - since * 1000))
}

async function outcomeOf(
  ctx: Pick<Context, 'log'> & HasTerms,
  sale: Sale,
  now: number,
): Promise<'settled' | 'void' | 'waiting'> {
  if (sale.paid) return 'settled'
  const { signed = '', payment: id, since, firstSince = since, validBefore } = sale
  const isOver = (end: number) => end < now / 1000
  try {
    if (ctx.config.EVM_RPC_URL === undefined)
      throw notConfigured('The proof of a payment', ['EVM_RPC_URL'])
    const terms = await termsOf(ctx, signed)
    const payment = readPayment(signed, terms, now)
    if (payment.id !== id) throw new PaymentRefused('it belongs to another chain')
    if (await wasSettled({ terms, payment, since: firstSince }, '')) return 'settled'
    return isOver(Math.min(validBefore, since + seconds.longest) + seconds.late)
      ? 'void'
      : 'waiting'
  } catch (error) {
    if (!(error instanceof PlatformError || error instanceof PaymentRefused)) throw error
    ctx.log.warn('the outcome of a sale is unknown', { payment: id, error })
    return isOver(since + seconds.unproven) ? 'void' : 'waiting'
  }
}

/** Returns the terms of the payment, because the current price, payee and token can differ. */
async function termsOf({ config }: HasTerms, signed: string): Promise<PaymentTerms> {
  const priced = { feature: 'The paid gateway', price: config.X402_PRICE_USD }
  const terms = await requireTerms(config, priced)
  const { asset, amount, payTo } = decodePaymentSignatureHeader(signed).accepted
  return { ...terms, requirements: { ...terms.requirements, asset, amount, payTo } }
}
