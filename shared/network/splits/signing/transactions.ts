import {
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem'
import { findWallet } from '#shared/money/wallets/find.ts'
import type { Wallet } from '#shared/money/wallets/rows.ts'
import { signHash } from '#shared/network/signer/keys/curve.ts'
import type { HasKeySeals } from '#shared/network/signer/keys/port.ts'
import { withKey } from '#shared/network/signer/keys/use.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { type Fees, isAboveCap, plainGas, transferGas } from '../chain/fees.ts'
import { type Account, keyOf, type SignedPayment } from '../payments.ts'
import { paymentRows } from '../rows.ts'

/** The chain of payments. */
export interface PaymentChain {
  chainId: number
  /** The USDC contract; undefined without its setting. */
  usdc: Hex | undefined
}

/** A payment before it is signed. */
export interface Draft extends Pick<SignedPayment, 'nonce' | 'try' | 'pays' | 'block'> {
  fees: Fees
}

/** The state of the chain in a call. */
export interface ChainState {
  count: number
  block: number
  fees: { maxFeePerGas: string; maxPriorityFeePerGas: string }
}

/**
 * Parses the fees of a call.
 * @throws PlatformError 400 above the cap: the caller is not trusted with the wallet's ETH
 */
export function feesOf({ fees }: Pick<ChainState, 'fees'>): Fees {
  const requested = {
    maxFeePerGas: BigInt(fees.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
  }
  if (isAboveCap(requested)) throw new PlatformError('bad-request', 'The fees are above the cap')
  return requested
}

/**
 * Returns the wallet of an address.
 * @throws Error if it does not exist
 */
export async function requireWallet(
  { table }: Pick<Context, 'table'>,
  address: string,
): Promise<Wallet> {
  const wallet = await findWallet({ table }, { address })
  if (wallet === undefined) throw new Error(`the wallet ${address} does not exist`)
  return wallet
}

/** Signs drafts of one wallet, with one decryption of its key. */
export async function signAll(
  ctx: Pick<Context, 'table'> & HasKeySeals & PaymentChain,
  { agentId, address }: Wallet,
  drafts: readonly Draft[],
): Promise<SignedPayment[]> {
  const transactions = drafts.map((draft) => transactionOf(ctx, address, draft))
  const at = Date.now()
  return withKey(ctx, { agentId, address }, (key) =>
    drafts.map(({ fees, ...draft }, i) => {
      const unsigned = transactions[i]
      if (unsigned === undefined) throw new Error('a draft has no transaction')
      const raw = serializeTransaction(
        unsigned,
        signHash(key, keccak256(serializeTransaction(unsigned))),
      )
      return {
        ...draft,
        raw,
        hash: keccak256(raw),
        maxFeePerGas: String(fees.maxFeePerGas),
        maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
        at,
      }
    }),
  )
}

/** Returns the writes that store payments, each on condition that its key does not exist. */
export function storing(
  account: Account,
  payments: readonly SignedPayment[],
): Record<`payment${number}`, Write> {
  return numbered(
    'payment',
    payments.map((payment) => ({
      put: { ...paymentRows.attributes(payment), ...keyOf(account, payment) },
      if: 'attribute_not_exists(pk)',
    })),
  )
}

function transactionOf(
  { chainId }: Pick<Context, 'table'> & HasKeySeals & PaymentChain,
  from: Hex,
  { nonce, pays, fees }: Draft,
): TransactionSerializableEIP1559 {
  const common = { type: 'eip1559', chainId, nonce, value: 0n, ...fees } as const
  // A payment of 0 to itself is the smallest possible transaction.
  if (pays === null) return { ...common, to: from, gas: plainGas }
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [pays.to as Hex, BigInt(pays.amount)],
  })
  return { ...common, to: pays.token as Hex, gas: transferGas, data }
}
