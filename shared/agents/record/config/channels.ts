import type { Agent } from '../agent.ts'

const tokens = ['telegramToken', 'discordBotToken', 'whatsappToken'] as const

/**
 * Returns whether an agent answers on a chat service. Its container polls the service, so no message could wake it
 * while it sleeps. Rows of an earlier release contain the tokens unencrypted in `config`.
 */
export function isOnChannels({
  config = {},
  secrets = {},
}: Partial<Pick<Agent, 'config' | 'secrets'>>): boolean {
  return tokens.some((name) => secrets[name] !== undefined || typeof config[name] === 'string')
}
