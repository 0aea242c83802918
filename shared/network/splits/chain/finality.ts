/**
 * The platform replaces a payment if the payment failed, or if another transaction used its nonce. It first waits for
 * this state of the chain. `finalized`: Ethereum has finalized the block, about twenty minutes later on Base.
 * `settled`: a payment would count as made.
 */
export type Finality = 'finalized' | 'settled'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** The chain ids of Anvil and Hardhat, and of Geth's developer mode. */
const developersChains = new Set([31_337, 1337])

/**
 * Returns `settled` only for a developer's chain id whose node is on the same machine: such a chain never becomes
 * final.
 */
export function finalityOf({
  deployed,
  EVM_RPC_URL: url,
  EVM_CHAIN_ID: chainId,
}: {
  deployed: boolean
  EVM_RPC_URL?: string | undefined
  EVM_CHAIN_ID: number
}): Finality {
  const isLocal = !deployed && url !== undefined && loopback.test(new URL(url).hostname)
  return isLocal && developersChains.has(chainId) ? 'settled' : 'finalized'
}
