/**
 * On which word a payment that failed, or whose nonce another transaction took, is paid anew: `finalized` waits until
 * Ethereum has made it final, some twenty minutes on Base; `settled` until it counts as made.
 */
export type Finality = 'finalized' | 'settled'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** As anvil and Hardhat number their chains, and geth its developers' one. */
const developersChains = new Set([31_337, 1337])

/** Nothing makes a developer's chain final: one of such a number whose node is on the same machine, and no other. */
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
