import type { Hex, TransactionReceipt } from 'viem'
import { getChainId, getTransactionReceipt } from 'viem/actions'
import { chainClient, reported, type Rpc, unlessRefused } from './client.ts'

/** The fields that are checked when a node answers. */
export type Receipt = Pick<TransactionReceipt, 'status' | 'blockNumber' | 'logs'>

/**
 * What became of a transaction; undefined for one that no block holds.
 * @throws PlatformError 503
 */
export async function readReceipt(rpc: Rpc, hash: Hex): Promise<Receipt | undefined> {
  const found = await unlessRefused(getTransactionReceipt(chainClient(rpc), { hash }))
  return typeof found?.blockNumber === 'bigint' ? found : undefined
}

/** The id of the chain that a node belongs to. @throws PlatformError 503 */
export function readChainId(rpc: Rpc): Promise<number> {
  return reported(getChainId(chainClient(rpc)))
}
