import * as z from 'zod'

/** A text that must be there and not be blank. The table takes UTF-8, which has no form for half a surrogate pair. */
export function requiredText(name: string, longest: number) {
  return z
    .string({ error: `${name} required` })
    .max(longest, `${name} must have at most ${longest} characters`)
    .refine((text) => text.trim() !== '', `${name} required`)
    .overwrite((text) => text.toWellFormed())
}

/** A whole number of a query; over its maximum it is cut to it: contract.md, General rules. */
export function countOf(name: string, absent: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number from 0`)
    .transform((text) => Math.min(Number(text), most))
    .default(absent)
}

/** Where a page of a list begins, as the page before it named it in `x-next-cursor`. */
export function cursorText() {
  return z
    .string()
    .regex(/^[\w-]{1,1400}$/, 'cursor must be the x-next-cursor of the page before')
    .optional()
    .describe('The `x-next-cursor` of the page before')
}
