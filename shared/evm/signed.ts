import type { Address } from 'viem'

/** A message and what is said to be an account's signature of it. */
export interface Signed {
  address: Address
  message: string
  signature: string
}
