import { randomBytes } from 'node:crypto'

/** Creates an id such as `sub_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

/** Creates an id that opens a page and must therefore be unguessable. */
export function newSecretId(prefix: string): string {
  return `${prefix}_${randomBytes(29).toString('hex')}`
}
