import type { HasKeySeals } from '#shared/network/signer/keys/port.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { readSplit } from '../find.ts'
import { nextOf, nonceKey } from '../payments.ts'
import type { Split } from '../record.ts'
import { isUnsigned, moveSplit } from '../state/moves.ts'
import { changeSplit } from '../write.ts'
import {
  type ChainState,
  type Draft,
  feesOf,
  type PaymentChain,
  requireWallet,
  signAll,
  storing,
} from './transactions.ts'

/**
 * The maximum number of nonces that other transactions of a wallet may have used; real numbers are far lower. With a
 * wrong, higher count of a node, payments would wait for nonces that are never used.
 */
const maxForeign = 1_000

/**
 * Signs payments for all recipients of a split that have no payment. One transaction stores the nonces, bytes and
 * recipients' states: of several concurrent calls only one is stored, and the signer discards the signatures of the
 * others.
 * @throws PlatformError 400 for fees above the cap
 */
export async function signPayments(
  ctx: Pick<Context, 'table'> & HasKeySeals & PaymentChain,
  { splitId, ...chain }: { splitId: number } & ChainState,
): Promise<{ signed: number }> {
  const { table } = ctx
  const fees = feesOf(chain)
  const split = await readSplit(table, splitId)
  if (split?.status !== 'processing' || !split.recipients.some(isUnsigned)) return { signed: 0 }
  const wallet = await requireWallet(ctx, split.fromAddress)
  if (wallet.userId !== split.userId || wallet.agentId !== split.agentId)
    throw new Error(`split ${splitId} does not belong to the wallet's owner`)
  if (split.chainId !== ctx.chainId || split.token !== ctx.usdc)
    throw new Error(`split ${splitId} is for another chain or token`)
  const account = { wallet: split.fromAddress.toLowerCase(), chainId: ctx.chainId }
  const key = nonceKey(account)
  const row = await table.get(key)
  if (chain.count > nextOf(row) + maxForeign)
    throw new PlatformError(
      'bad-request',
      'The number of the wallet’s transactions that the node reports is implausibly high',
    )
  const first = Math.max(nextOf(row), chain.count)
  const drafts = draftsOf(split, { first, block: chain.block, fees })
  const payments = await signAll(ctx, wallet, drafts)
  const signed = new Map(
    payments.map(({ nonce, hash, pays }) => [pays?.index ?? -1, { nonce, hash }]),
  )
  const refusals = await tryCommit(table, {
    nonce: {
      update: key,
      set: { next: first + drafts.length },
      ...(row === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#next = :seen', values: { seen: nextOf(row) } }),
    },
    split: changeSplit(split, moveSplit(split, { kind: 'sign', payments: signed })),
    ...storing(account, payments),
  })
  return { signed: refusals === undefined ? payments.length : 0 }
}

function draftsOf(
  { splitId, token, recipients }: Split,
  { first, block, fees }: Pick<Draft, 'block' | 'fees'> & { first: number },
): Draft[] {
  return [...recipients.entries()]
    .filter(([, recipient]) => isUnsigned(recipient))
    .map(([index, { address: to, amount }], i) => ({
      nonce: first + i,
      try: 1,
      pays: { splitId, index, token, to, amount },
      block,
      fees,
    }))
}
