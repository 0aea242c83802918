import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import * as z from 'zod'
import { askEach, quantity, type RpcCall, type RpcRefusal, word } from '#shared/money/evm/batch.ts'
import { unreachable } from '#shared/money/evm/client.ts'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { type Fees, quote } from './fees.ts'

/** The state of a chain and of a wallet, from one request. */
export interface Head {
  /** The newest block. */
  block: number
  hash: string
  /** The number of the wallet's transactions in blocks, which is its next nonce. */
  count: number
  fees: Fees
  /** The base fee of the newest block, in wei. */
  baseFee: bigint
  /** Micro-USDC. */
  usdc: bigint
  /** Wei. */
  eth: bigint
  /** The finalized state, or undefined if the node does not know it. */
  final: { block: number; count: number } | undefined
}

/** Thrown if the node's chain is not EVM_CHAIN_ID. */
export class WrongChain extends Error {
  constructor() {
    super('the node’s chain is not EVM_CHAIN_ID')
    this.name = 'WrongChain'
  }
}

const block = () =>
  z.object({ number: quantity(), hash: word(), baseFeePerGas: quantity().optional() })

/** The tip if the node lacks `eth_maxPriorityFeePerGas`: a thousandth of a gwei, which blocks of Base accept. */
const usualTip = 1_000_000n

/**
 * Reads the state of a chain and a wallet in one request.
 * @param wallet in lower case
 * @throws WrongChain; PlatformError 503 if the node does not respond
 */
export async function readHead({ rpc, chainId, token }: UsdcChain, wallet: Hex): Promise<Head> {
  const about = (method: string, tag: string): RpcCall<bigint> => ({
    method,
    params: [wallet, tag],
    form: quantity(),
  })
  const blockAt = (tag: string) => ({
    method: 'eth_getBlockByNumber',
    params: [tag, false],
    form: block(),
  })
  const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const [id, latest, count, eth, usdcBalance, tip, finalBlock, finalCount] = await askEach(rpc, [
    { method: 'eth_chainId', params: [], form: quantity() },
    blockAt('latest'),
    about('eth_getTransactionCount', 'latest'),
    about('eth_getBalance', 'latest'),
    { method: 'eth_call', params: [{ to: token, data: balance }, 'latest'], form: amount() },
    { method: 'eth_maxPriorityFeePerGas', params: [], form: quantity() },
    // Nullable, because not every node supports the `finalized` tag.
    { ...blockAt('finalized'), form: block().nullable() },
    about('eth_getTransactionCount', 'finalized'),
  ])
  if (BigInt(chainId) !== answered(id)) throw new WrongChain()
  const { number, hash, baseFeePerGas: baseFee = 0n } = answered(latest)
  const final = 'result' in finalBlock && 'result' in finalCount ? finalBlock.result : null
  return {
    block: Number(number),
    hash,
    count: Number(answered(count)),
    baseFee,
    fees: quote(baseFee, 'result' in tip ? tip.result : usualTip),
    usdc: answered(usdcBalance),
    eth: answered(eth),
    final:
      final === null || !('result' in finalCount)
        ? undefined
        : { block: Number(final.number), count: Number(finalCount.result) },
  }
}

/** A number from a contract. The result is empty if the contract does not exist. */
const amount = () =>
  z.string().transform((text, ctx) => {
    if (/^0x[0-9a-f]{64}$/i.test(text)) return BigInt(text)
    ctx.addIssue('USDC_ADDRESS is not a token on this chain')
    return z.NEVER
  })

function answered<T>(answer: { result: T } | RpcRefusal): T {
  if ('result' in answer) return answer.result
  throw unreachable(new Error('the node rejected a request for the chain’s state'))
}

/** Reports whether an error means that the node could not be reached. */
export function isUnreachable(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.kind === 'unavailable'
}
