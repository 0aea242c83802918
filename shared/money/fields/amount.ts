import * as z from 'zod'
import { amountPattern } from '../amounts/amount.ts'

/** An amount in a request: contract.md, General rules. It stays a string. */
export function amountField(name: string) {
  return z
    .string({ error: `${name} must be a decimal number as a string` })
    .regex(amountPattern, `${name} must be a decimal number with at most 6 decimals`)
}
