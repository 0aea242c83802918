import { hmacSha256, toBase64Url, toHex } from '../platform/crypto.ts'

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

/**
 * The key by which the container of one generation calls the platform's models: `ak_` and 64 hex digits.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function agentAiKey(
  encryptionKey: string,
  agentId: string,
  generation: number,
): Promise<string> {
  return `ak_${toHex(await hmacSha256(encryptionKey, `ai:${agentId}:${generation}`))}`
}
