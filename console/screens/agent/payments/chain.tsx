/** Chains with USDC by their ids (EIP-155), with the explorers of https://github.com/ethereum-lists/chains. */
const chains: Readonly<Record<number, { name: string; explorer: string }>> = {
  1: { name: 'Ethereum', explorer: 'https://etherscan.io' },
  10: { name: 'OP Mainnet', explorer: 'https://optimistic.etherscan.io' },
  137: { name: 'Polygon', explorer: 'https://polygonscan.com' },
  8453: { name: 'Base', explorer: 'https://basescan.org' },
  42161: { name: 'Arbitrum One', explorer: 'https://arbiscan.io' },
  84532: { name: 'Base Sepolia', explorer: 'https://sepolia.basescan.org' },
}

export function chainName(id: number): string {
  return chains[id]?.name ?? `chain ${id}`
}

/** The start and the end of an address or a hash, with the whole one as a tooltip. */
export function Short({ of }: { of: string }) {
  return <code title={of}>{ends(of)}</code>
}

function ends(text: string): string {
  return `${text.slice(0, 6)}…${text.slice(-4)}`
}

/** A transaction, as a link to the chain's explorer if it is known. */
export function Transaction({ hash, chainId }: { hash: string; chainId: number | undefined }) {
  const explorer = chainId === undefined ? undefined : chains[chainId]?.explorer
  if (explorer === undefined) return <Short of={hash} />
  return (
    <a
      href={`${explorer}/tx/${hash}`}
      target="_blank"
      rel="noreferrer"
      aria-label={`Transaction ${ends(hash)}`}
    >
      <Short of={hash} />
    </a>
  )
}
