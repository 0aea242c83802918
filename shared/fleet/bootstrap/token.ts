import { equalInConstantTime, hmacSha256, toBase64Url } from '../../platform/crypto.ts'

/** The start of an agent that a container says it belongs to. */
export interface Start {
  agentId: string
  generation: number
}

/**
 * What the container of one generation fetches its secrets with, once. Derived, so that nothing is stored and a RunTask
 * that is tried again is the same request.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export async function bootstrapToken(
  encryptionKey: string,
  { agentId, generation }: Start,
): Promise<string> {
  return toBase64Url(await hmacSha256(encryptionKey, `bootstrap:${agentId}:${generation}`))
}

/** Whether a token is that of a start: no read is needed to know that a guess is wrong. */
export async function isBootstrapToken(
  encryptionKey: string,
  start: Start,
  given: string,
): Promise<boolean> {
  return equalInConstantTime(given, await bootstrapToken(encryptionKey, start))
}
