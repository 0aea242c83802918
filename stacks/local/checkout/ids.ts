import { randomBytes } from 'node:crypto'

/** An id such as `sub_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

/** One that opens a page, and therefore cannot be guessed. */
export function newSecretId(prefix: string): string {
  return `${prefix}_${randomBytes(29).toString('hex')}`
}
