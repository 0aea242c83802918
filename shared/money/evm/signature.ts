import { type Address, type Hex, recoverMessageAddress } from 'viem'
import { notConfigured } from '#shared/platform/errors.ts'
import type { Rpc } from './client.ts'
import type { Signed } from './signed.ts'

/** The last bytes of an ERC-6492 signature, which contains the contract that verifies it. */
const counterfactual = '6492'.repeat(16)

/**
 * Returns whether an account has signed a message (EIP-191). The signature of a key is verified without the chain;
 * otherwise the account's contract verifies it (ERC-1271), even if the contract is not deployed yet (ERC-6492).
 * @throws PlatformError 503 if verification needs the chain and it cannot be reached
 */
export async function isSigned(signed: Signed, rpc: Rpc): Promise<boolean> {
  const { signature } = signed
  if (!isHex(signature)) return false
  if (await isSignedByKey(signed, signature)) return true
  if (rpc.url === undefined) {
    if (!signature.toLowerCase().endsWith(counterfactual)) return false
    throw notConfigured('Sign-in by smart wallets', [rpc.setting])
  }
  // Loaded on demand, because only smart wallets need the contract encoders.
  const { isSignedByContract } = await import('./contract-signature.ts')
  return isSignedByContract(signed, signature, rpc)
}

function isHex(text: string): text is Hex {
  return /^0x(?:[0-9a-f]{2})+$/i.test(text)
}

async function isSignedByKey({ address, message }: Signed, signature: Hex): Promise<boolean> {
  const signer = await signerOf({ message, signature })
  return signer?.toLowerCase() === address.toLowerCase()
}

/**
 * Returns the account that signed a message (EIP-191), or undefined for an invalid signature. A signature has r, s and
 * v in 65 bytes, with v as 0, 1, 27 or 28, or r and s in 64 bytes, with v in the highest bit of s (EIP-2098).
 */
export async function signerOf({
  message,
  signature,
}: Pick<Signed, 'message' | 'signature'>): Promise<Address | undefined> {
  const whole = isHex(signature) ? wholeSignature(signature) : undefined
  if (whole === undefined) return undefined
  // The library throws for bytes that are not a point of the curve, such as most random bytes.
  return recoverMessageAddress({ message, signature: whole }).catch(() => undefined)
}

/** Returns a key's signature in 65 bytes, or undefined for a length other than 64 or 65. */
export function wholeSignature(signature: Hex): Hex | undefined {
  if (signature.length === 2 + 2 * 65) return signature
  if (signature.length !== 2 + 2 * 64) return undefined
  const r = signature.slice(0, 2 + 2 * 32) as Hex
  const first = Number.parseInt(signature.slice(66, 68), 16)
  const s = (first & 0x7f).toString(16).padStart(2, '0') + signature.slice(68)
  return `${r}${s}${first > 0x7f ? '1c' : '1b'}`
}
