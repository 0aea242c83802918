import { isAddress } from 'viem'
import * as z from 'zod'

/**
 * An address in a request: contract.md, General rules. One of mixed case carries the checksum of EIP-55, by which a
 * mistyped one is told from a right one.
 */
export const addressField = (name: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, {
      error: `${name} must be 0x and 40 hex digits`,
      abort: true,
    })
    .refine((text) => !isMixed(text) || isAddress(text), `${name} has a wrong checksum`)

function isMixed(text: string): boolean {
  const digits = text.slice(2)
  return /[a-f]/.test(digits) && /[A-F]/.test(digits)
}
