import { isAddress } from 'viem'
import * as z from 'zod'

/**
 * An address in a request: contract.md, General rules. A mixed-case address has a checksum (EIP-55), which detects
 * typing errors.
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
