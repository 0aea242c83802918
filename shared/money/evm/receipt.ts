import type { Hex, TransactionReceipt } from 'viem'
import { getChainId, getTransactionReceipt } from 'viem/actions'
import { chainClient, reported, type Rpc, undefinedIfRefused } from './client.ts'

/** The fields of a node's receipt that are validated. */
export type Receipt = Pick<TransactionReceipt, 'status' | 'blockNumber' | 'logs'>

/**
 * Returns a transaction's receipt; undefined if no block contains the transaction.
 * @throws PlatformError 503
 */
export async function readReceipt(rpc: Rpc, hash: Hex): Promise<Receipt | undefined> {
  const found = await undefinedIfRefused(getTransactionReceipt(chainClient(rpc), { hash }))
  return typeof found?.blockNumber === 'bigint' ? found : undefined
}

/** Returns the id of the chain that a node belongs to. @throws PlatformError 503 */
export function readChainId(rpc: Rpc): Promise<number> {
  return reported(getChainId(chainClient(rpc)))
}
