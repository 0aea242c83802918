import { useEffect, useState } from 'preact/hooks'
import type { Wallet } from './wallet.ts'

declare global {
  interface Window {
    /** The injected wallet (EIP-1193). With several, the last one. */
    ethereum?: Wallet
  }
}

/** A wallet that can be chosen. */
export interface OfferedWallet {
  id: string
  /** The wallet's own name. */
  name: string
  wallet: Wallet
}

/** The limit of listed wallets, because extensions can announce any number. */
const maxWallets = 8

/** Returns the browser's wallets by name (EIP-6963). A wallet that does not announce itself is called `a wallet`. */
export function useWallets(): readonly OfferedWallet[] {
  const [announced, setAnnounced] = useState<readonly OfferedWallet[]>([])

  useEffect(() => {
    const ended = new AbortController()
    const take = (event: Event) => {
      const found = offerOf((event as CustomEvent<unknown>).detail)
      if (found === undefined) return
      setAnnounced((before) =>
        before.some(({ id }) => id === found.id) ? before : [...before, found].slice(0, maxWallets),
      )
    }
    addEventListener('eip6963:announceProvider', take, { signal: ended.signal })
    dispatchEvent(new Event('eip6963:requestProvider'))
    return () => ended.abort()
  }, [])

  if (announced.length > 0) return announced
  const { ethereum } = window
  return ethereum === undefined ? [] : [{ id: '', name: 'a wallet', wallet: ethereum }]
}

/** Parses an announcement. Undefined if it does not follow EIP-6963. */
function offerOf(detail: unknown): OfferedWallet | undefined {
  const { info, provider } = Object(detail) as { info?: unknown; provider?: Wallet }
  const { uuid, name } = Object(info) as { uuid?: unknown; name?: unknown }
  if (typeof uuid !== 'string' || typeof name !== 'string' || name.trim() === '') return undefined
  if (typeof provider?.request !== 'function') return undefined
  return { id: uuid, name: name.slice(0, 40), wallet: provider }
}
