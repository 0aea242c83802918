import { equalInConstantTime, hmacSha256, toBase64Url } from '#shared/platform/crypto.ts'

/** The agent and generation that a container was started for. */
export interface Start {
  agentId: string
  generation: number
}

/**
 * Derives the token of one generation's container, which fetches its secrets once. A derived token need not be stored,
 * and a retried RunTask is the same request.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function bootstrapToken(
  encryptionKey: string,
  { agentId, generation }: Start,
): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `bootstrap:${agentId}:${generation}`))
}

/** Returns whether a token belongs to a start. Needs no read to reject a wrong token. */
export async function isBootstrapToken(
  encryptionKey: string,
  start: Start,
  token: string,
): Promise<boolean> {
  return equalInConstantTime(token, await bootstrapToken(encryptionKey, start))
}
