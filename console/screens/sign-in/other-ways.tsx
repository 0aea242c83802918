import { platform } from '../../base/platform.ts'
import { enter } from '../../base/session.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import type { Wallet } from './wallet.ts'
import { useWallets } from './wallets.ts'
import './ways.css'

/**
 * Sign-in with the configured providers and the browser's wallets.
 * @param to where the sign-in leads
 */
export function OtherWays({ to }: { to: string }) {
  const { busy, error, attempt } = useAttempt()
  const { data } = useLoad('sign-in ways', (signal) => platform.oauth.server({ signal }))
  const wallets = useWallets()
  if (data === undefined) return null
  const { sign_in_providers: providers, sign_in_wallet_chain_id: chainId } = data
  if (providers.length === 0 && wallets.length === 0) return null

  async function byWallet(wallet: Wallet) {
    const over = new AbortController()
    const { signal } = over
    const signedIn = async () => {
      const { signInByWallet } = await import('./wallet.ts')
      await signInByWallet(wallet, chainId, signal)
      return true
    }
    try {
      // The wallet may never answer after the page was left.
      const isIn = await Promise.race([signedIn(), restored(signal).then(() => false)])
      if (isIn) await enter(to)
    } finally {
      over.abort()
    }
  }

  return (
    <section class="ways" aria-label="Other ways to sign in">
      {providers.map(({ name, host, begin }) => (
        <a key={name} class="button" href={beginUrl(begin, to)}>
          Continue with {host}
        </a>
      ))}
      {wallets.map((offered) => (
        <button
          key={offered.id}
          type="button"
          class="button"
          aria-disabled={busy !== undefined}
          data-busy={busy === offered.id}
          onClick={() => attempt(() => byWallet(offered.wallet), offered.id)}
        >
          Continue with {offered.name}
        </button>
      ))}
      <Fault error={error} />
    </section>
  )
}

/** Returns the URL that starts a provider's sign-in and returns to `to`. */
function beginUrl(begin: string, to: string): string {
  return `${begin}?${new URLSearchParams({ next: to })}`
}

/** Resolves when the browser restores this page from its cache. Never resolves after an abort. */
function restored(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    addEventListener('pageshow', ({ persisted }) => persisted && resolve(), { signal }),
  )
}
