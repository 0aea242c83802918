import { equalInConstantTime, hmacSha256, toBase64Url } from '../../platform/crypto.ts'

/**
 * What a container that waits asks with. Derived, so that nothing is stored and a RunTask that is tried again is the same
 * request.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function warmToken(encryptionKey: string, id: string): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `warm:${id}`))
}

/** Whether a token is that of a container: no read is needed to know that a guess is wrong. */
export async function isWarmToken(
  encryptionKey: string,
  id: string,
  given: string,
): Promise<boolean> {
  return equalInConstantTime(given, await warmToken(encryptionKey, id))
}
