import { createSiweMessage } from 'viem/siwe'
import { platform } from '../../app/platform.ts'
import { InputError } from '../../app/words.ts'

/** A wallet as browsers know it (EIP-1193). */
export interface Wallet {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
}

/** Milliseconds for which a signed message is good: as long as its nonce. */
const validMs = 600_000

/**
 * Begins a session by the wallet's signature (EIP-4361); the first one of an address makes its account.
 * @param chainId the chain that the platform asks messages to name
 * @param left aborted once the page waits for the wallet no longer: what the wallet answers after that begins no session
 * @throws InputError what its holder refused, or the wallet did, PlatformError what the platform did
 */
export async function signInByWallet(
  wallet: Wallet,
  chainId: number,
  left: AbortSignal,
): Promise<void> {
  const accounts = await ask(wallet, 'eth_requestAccounts')
  const account: unknown = Array.isArray(accounts) ? accounts[0] : undefined
  if (!isAddress(account)) throw new InputError('The wallet has no account to sign in by.')
  const { nonce } = await platform.auth.wallet.createNonce()
  const now = Date.now()
  const message = createSiweMessage({
    address: account,
    chainId,
    domain: location.host,
    uri: location.origin,
    version: '1',
    statement: 'Sign in to the Agent Platform.',
    nonce,
    issuedAt: new Date(now),
    expirationTime: new Date(now + validMs),
  })
  const signature = await ask(wallet, 'personal_sign', [hexOf(message), account])
  left.throwIfAborted()
  await platform.auth.wallet.signIn({ address: account, message, signature: String(signature) })
}

function isAddress(value: unknown): value is `0x${string}` {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
}

function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

async function ask(wallet: Wallet, method: string, params?: unknown[]): Promise<unknown> {
  try {
    return await wallet.request({ method, ...(params && { params }) })
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    // EIP-1193: the person said no.
    if (code === 4001) throw new InputError('You declined in the wallet. Try again.')
    throw new InputError(`The wallet could not sign. It says: ${String(message ?? 'nothing')}`)
  }
}
