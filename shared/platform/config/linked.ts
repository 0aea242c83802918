import { Resource } from 'sst/resource'

/**
 * Returns the secrets that SST linked to this function. They travel in an encrypted file of its code; anyone with
 * permission to describe the function could read variables. On one machine nothing is linked, and secrets are plain
 * variables.
 */
export function linkedSecrets(names: readonly string[]): Record<string, string> {
  const linked: object = Resource
  const found: Record<string, string> = {}
  for (const name of names) {
    if (!(name in linked)) continue
    const { value } = Reflect.get(linked, name) as { value?: unknown }
    if (typeof value === 'string') found[name] = value
  }
  return found
}
