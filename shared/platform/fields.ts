import * as z from 'zod'

/**
 * A required text that is not blank. It must not contain half a surrogate pair, which the table's UTF-8 cannot
 * represent.
 */
export function requiredText(name: string, longest: number) {
  return z
    .string({ error: `${name} required` })
    .max(longest, `${name} must have at most ${longest} characters`)
    .refine((text) => text.trim() !== '', `${name} required`)
    .overwrite((text) => text.toWellFormed())
}

/** A whole number in a query; values above the maximum are reduced to it: contract.md, General rules. */
export function countOf(name: string, absent: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number from 0`)
    .transform((text) => Math.min(Number(text), most))
    .default(absent)
}

/** The position of a page in a list: the previous page's `x-next-cursor`. */
export function cursorText() {
  return z
    .string()
    .regex(/^[\w-]{1,1400}$/, 'cursor must be the x-next-cursor of the previous page')
    .optional()
    .describe('`x-next-cursor` of the previous page')
}
