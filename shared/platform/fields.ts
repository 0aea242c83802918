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
