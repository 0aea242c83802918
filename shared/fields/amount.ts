import * as z from 'zod'
import { amountPattern } from '../money/amount.ts'

/** An amount of a request: contract.md, General rules. It stays the text that it was. */
export function amountField(name: string) {
  return z
    .string({ error: `${name} must be a decimal number as a string` })
    .regex(amountPattern, `${name} must be a decimal number with at most 6 decimals`)
}
