/** What a config holds that its owner cannot read back: kept sealed, beside the rest of it. */
export const secretNames = [
  'telegramToken',
  'discordBotToken',
  'whatsappToken',
  'webhookSecret',
] as const

export type SecretName = (typeof secretNames)[number]

export type Secrets = Partial<Record<SecretName, string>>

const dots = '••••'

/** Shorter secrets would be given away by their end. */
const shortestShown = 16

/** What is shown of a secret: its last four characters tell its owner which one it is. */
export function mask(secret: string): string {
  return secret.length < shortestShown ? dots : dots + secret.slice(-4)
}

/** Whether a text is what `mask` made of some secret; no secret looks like that. */
export function isMask(text: string): boolean {
  return /^•{4}(?:[!-~]{4})?$/.test(text)
}

/** Where an agent's secret is sealed for: one that is copied to another agent does not open there. */
export function sealPlace(agentId: string, name: SecretName): string {
  return `agent-config#${agentId}#${name}`
}
