/** The config values that are stored encrypted, outside the config, and are never returned. */
export const secretNames = [
  'telegramToken',
  'discordBotToken',
  'whatsappToken',
  'webhookSecret',
] as const

export type SecretName = (typeof secretNames)[number]

export type Secrets = Partial<Record<SecretName, string>>

const dots = '••••'

/** The last characters of a shorter secret would reveal too much. */
const shortestShown = 16

/** Masks a secret, with its last four characters so that its owner recognizes it. */
export function mask(secret: string): string {
  return secret.length < shortestShown ? dots : dots + secret.slice(-4)
}

/** Returns whether a text is a masked secret. No secret has that form. */
export function isMask(text: string): boolean {
  return /^•{4}(?:[!-~]{4})?$/.test(text)
}

/** Returns the context of an encrypted secret. A copy in another agent cannot be decrypted. */
export function sealPlace(agentId: string, name: SecretName): string {
  return `agent-config#${agentId}#${name}`
}
