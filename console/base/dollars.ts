import { InputError } from './words.ts'

/** Reads an amount of US dollars from an input; null if it is empty. @throws InputError for an invalid amount */
export function dollarsIn(text: string): number | null {
  const amount = text.trim().replace(/^\$/, '')
  if (amount === '') return null
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(amount))
    throw new InputError('Enter the cap in US dollars, such as 25 or 9.50.')
  return Number(amount)
}
