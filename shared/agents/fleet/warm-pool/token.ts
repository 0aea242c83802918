import { equalInConstantTime, hmacSha256, toBase64Url } from '#shared/platform/crypto.ts'

/**
 * Derives the token of a warm container. A derived token need not be stored, and a retried RunTask is the same request.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function warmToken(encryptionKey: string, id: string): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `warm:${id}`))
}

/** Returns whether a token belongs to a container. Needs no read to reject a wrong token. */
export async function isWarmToken(
  encryptionKey: string,
  id: string,
  token: string,
): Promise<boolean> {
  return equalInConstantTime(token, await warmToken(encryptionKey, id))
}
