import { createSiweMessage } from 'viem/siwe'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'

/** A browser wallet (EIP-1193). */
export interface Wallet {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
}

/** The validity of a signed message in milliseconds, the same as its nonce's. */
const validMs = 600_000

/**
 * Signs in with the wallet's signature (EIP-4361). The first sign-in of an address creates its account.
 * @param chainId the chain for the message
 * @param left aborted when the page no longer waits; a later answer of the wallet starts no session
 * @throws InputError if the user or the wallet refuses, PlatformError if the platform does
 */
export async function signInByWallet(
  wallet: Wallet,
  chainId: number,
  left: AbortSignal,
): Promise<void> {
  const accounts = await ask(wallet, 'eth_requestAccounts')
  const account: unknown = Array.isArray(accounts) ? accounts[0] : undefined
  if (!isAddress(account)) throw new InputError('The wallet has no account.')
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
    // EIP-1193: the user rejected the request.
    if (code === 4001) throw new InputError('You rejected the request in the wallet. Try again.')
    throw new InputError(`The wallet could not sign: ${String(message ?? 'unknown error')}`)
  }
}
