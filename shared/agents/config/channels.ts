import type { Agent } from '../agent.ts'

const tokens = ['telegramToken', 'discordBotToken', 'whatsappToken'] as const

/**
 * Whether an agent answers on a chat service. Its container asks the service for messages, so while it sleeps no message
 * reaches it and none wakes it.
 * Rows of an earlier release hold the tokens in `config`, unsealed.
 */
export function isOnChannels({
  config = {},
  secrets = {},
}: Partial<Pick<Agent, 'config' | 'secrets'>>): boolean {
  return tokens.some((name) => secrets[name] !== undefined || typeof config[name] === 'string')
}
