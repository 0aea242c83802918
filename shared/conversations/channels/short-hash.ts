import { sha256Hex } from '#shared/platform/crypto.ts'

/** Returns the hash of a service's id, which is part of keys. */
export async function shortHash(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 40)
}
