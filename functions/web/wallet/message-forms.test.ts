import { Signature } from 'ethers'
import { SiweMessage } from 'siwe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { compose, proof, startWallets, type Wallets } from '#tests/support/accounts/wallets.ts'

let wallets: Wallets

beforeAll(async () => {
  wallets = await startWallets()
})
afterAll(() => wallets.close())

const signIn = async (body: unknown) =>
  (await wallets.call('POST', '/api/wallet-auth', body)).status

/** True if the package `siwe` parses a message. It uses the grammar of EIP-4361 and requires a checksum. */
function siweReads(message: string): boolean {
  try {
    return new SiweMessage(message).nonce !== ''
  } catch {
    return false
  }
}

describe('a message of a wallet', () => {
  it.each<[string, boolean, (message: string, address: string) => string]>([
    ['with all optional fields', true, (message) => message],
    ['without a statement', true, (message) => message.replace('Sign in to the platform.\n', '')],
    [
      'with a request and resources',
      true,
      (message) => `${message}\nRequest ID: a\nResources:\n- https://a.example`,
    ],
    ['with an empty list of resources', true, (message) => `${message}\nResources:`],
    [
      'with a time in another zone',
      true,
      (message) => message.replace(/(Issued At: .*)Z$/, '$1+00:00'),
    ],
    [
      'with an address in lower case',
      false,
      (message, address) => message.replace(address, address.toLowerCase()),
    ],
    [
      'with quotes and symbols in its statement',
      false,
      (message) => message.replace('Sign in', 'Say "yes" & <sign> {in} | 100 %'),
    ],
  ])('signs in %s; siwe reads it: %j', async (_, read, change) => {
    const signer = newWallet()
    const { address } = signer
    const message = change(compose({ address, nonce: await wallets.nonce() }), address)
    expect(siweReads(message)).toBe(read)
    expect(await signIn({ address, message, signature: await signer.signMessage(message) })).toBe(
      200,
    )
  })
})

describe('a signature of a key', () => {
  it.each<[string, (signature: Signature) => string]>([
    ['65 bytes, v 27 or 28', ({ serialized }) => serialized],
    ['65 bytes, v 0 or 1', ({ r, s, yParity }) => `${r}${s.slice(2)}0${yParity}`],
    ['64 bytes (EIP-2098)', ({ compactSerialized }) => compactSerialized],
  ])('is accepted in %s', async (_, form) => {
    // Both values of v occur.
    const met = new Set<number>()
    while (met.size < 2) {
      const proven = await proof(wallets)
      const signature = Signature.from(proven.signature)
      if (met.has(signature.v)) continue
      met.add(signature.v)
      expect(await signIn({ ...proven, signature: form(signature) })).toBe(200)
    }
  })

  it('is rejected in 64 bytes that another key has signed', async () => {
    const { signature, ...proven } = await proof(wallets)
    const other = await proof(wallets)
    expect(signature).not.toBe(other.signature)
    const { compactSerialized } = Signature.from(other.signature)
    expect(await signIn({ ...proven, signature: compactSerialized })).toBe(401)
  })
})
