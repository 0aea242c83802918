import type { Address, Hex } from 'viem'
import { askNode, type NodeError, type Rpc, unreachable } from './node.ts'

const hex = /^0x[0-9a-f]*$/i

/**
 * One `eth_call` at the latest block.
 * @param call without `to` the data is run as the code that creates a contract
 * @returns what the code returned, undefined where it reverted
 * @throws PlatformError 503 where no node is named, or it does not answer: askNode
 */
export async function ethCall(
  rpc: Rpc,
  call: { to?: Address; data: Hex },
): Promise<Hex | undefined> {
  const answer = await askNode(rpc, 'eth_call', [call, 'latest'])
  if ('error' in answer) {
    if (isRevert(answer.error)) return undefined
    // Not with its words: they may repeat the node's URL.
    throw unreachable(new Error(`the node answered eth_call with ${answer.error.code}`))
  }
  if (typeof answer.result === 'string' && hex.test(answer.result)) return answer.result as Hex
  throw unreachable(new Error('the node answered a call with no hex'))
}

/** Nodes agree on code 3 for a revert (EIP-1474's successors) only partly; the others say it in words. */
function isRevert({ code, message }: NodeError): boolean {
  return code === 3 || /revert|invalid opcode|out of gas|vm execution/i.test(message)
}
