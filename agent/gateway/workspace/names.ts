import * as z from 'zod'

const pattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/

/** Returns whether a name can be a file in the workspace: no separator, no leading dot, at most 64 characters. */
export function isName(name: string): boolean {
  return pattern.test(name)
}

/** Rejects all other names, so that no request can leave its folder. */
export const nameSchema = z
  .string()
  .regex(pattern, "must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', and not start with a dot")
