import { hmacSha256, toBase64Url } from '../platform/crypto.ts'

/**
 * The bearer token of an agent's gateway: derived, so that nothing secret is stored, and rotated by counting up.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function gatewayToken(
  encryptionKey: string,
  agentId: string,
  tokenVersion: number,
): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `gateway:${agentId}:${tokenVersion}`))
}
