import type { Address } from 'viem'

/** A message and an unverified signature by an account. */
export interface Signed {
  address: Address
  message: string
  signature: string
}
