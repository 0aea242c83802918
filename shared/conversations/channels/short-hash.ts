import { sha256Hex } from '#shared/platform/crypto.ts'

/** Returns the hash of a service's id for keys: 40 hexadecimal digits. */
export async function shortHash(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 40)
}
