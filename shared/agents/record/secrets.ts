import { hmacSha256, toBase64Url } from '#shared/platform/crypto.ts'

/**
 * Derives the bearer token of an agent's gateway. Nothing secret is stored, and a counter rotates the token.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function gatewayToken(
  encryptionKey: string,
  agentId: string,
  tokenVersion: number,
): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `gateway:${agentId}:${tokenVersion}`))
}
