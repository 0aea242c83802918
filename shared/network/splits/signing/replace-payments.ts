import type { HasKeySeals } from '#shared/network/signer/keys/port.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { isAboveCap, raisedFees } from '../chain/fees.ts'
import { newestTries, nextOf, nonceKey, readPayments } from '../payments.ts'
import {
  type ChainState,
  type Draft,
  feesOf,
  type PaymentChain,
  requireWallet,
  signAll,
  storing,
} from './transactions.ts'

/** The maximum number of payments at once, because a DynamoDB transaction has at most a hundred writes. */
const maxAtOnce = 50

/**
 * Signs payments again with higher fees, unless the cap forbids it. Nonce, recipient and amount stay the same, so only
 * one of the attempts can ever be in a block.
 */
export async function replacePayments(
  ctx: Pick<Context, 'table'> & HasKeySeals & PaymentChain,
  { wallet, nonces, ...chain }: { wallet: string; nonces: readonly number[] } & ChainState,
): Promise<{ signed: number }> {
  const fees = feesOf(chain)
  const payments = newestTries(
    await readPayments(ctx.table, { wallet, chainId: ctx.chainId }, Math.min(...nonces)),
  )
  const drafts = payments
    .filter(({ nonce, dead }) => nonces.includes(nonce) && !dead)
    .map((old) => ({
      nonce: old.nonce,
      try: old.try + 1,
      pays: old.pays,
      block: chain.block,
      fees: raisedFees(
        {
          maxFeePerGas: BigInt(old.maxFeePerGas),
          maxPriorityFeePerGas: BigInt(old.maxPriorityFeePerGas),
        },
        fees,
      ),
    }))
  return signAndStore(
    ctx,
    wallet,
    drafts.filter((draft) => !isAboveCap(draft.fees)),
  )
}

/**
 * Fills nonces without a payment below the wallet's next nonce. Other transactions had used them in blocks that were
 * reorganised; without a transaction for them, all later payments would wait forever.
 */
export async function fillNonces(
  ctx: Pick<Context, 'table'> & HasKeySeals & PaymentChain,
  { wallet, ...chain }: { wallet: string } & ChainState,
): Promise<{ signed: number }> {
  const fees = feesOf(chain)
  const account = { wallet, chainId: ctx.chainId }
  const next = nextOf(await ctx.table.get(nonceKey(account)))
  const tries = new Map(
    newestTries(await readPayments(ctx.table, account, chain.count)).map((one) => [one.nonce, one]),
  )
  const drafts: Draft[] = []
  for (let nonce = chain.count; nonce < next; nonce++) {
    const newest = tries.get(nonce)
    if (newest !== undefined && !newest.dead) continue
    drafts.push({ nonce, try: (newest?.try ?? 0) + 1, pays: null, block: chain.block, fees })
  }
  return signAndStore(ctx, wallet, drafts)
}

async function signAndStore(
  ctx: Pick<Context, 'table'> & HasKeySeals & PaymentChain,
  address: string,
  drafts: readonly Draft[],
): Promise<{ signed: number }> {
  if (drafts.length === 0) return { signed: 0 }
  const wallet = await requireWallet(ctx, address)
  const payments = await signAll(ctx, wallet, drafts.slice(0, maxAtOnce))
  const refusals = await tryCommit(
    ctx.table,
    storing({ wallet: address, chainId: ctx.chainId }, payments),
  )
  return { signed: refusals === undefined ? payments.length : 0 }
}
