import type { Table } from '#shared/platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { approvedOn, readSenders } from './read.ts'

/** The config token and the environment variable of each chat service with approved senders. */
const variables = {
  telegram: { token: 'telegramToken', variable: 'TELEGRAM_SENDERS' },
  discord: { token: 'discordBotToken', variable: 'DISCORD_SENDERS' },
} as const

/**
 * Returns the approved senders of an agent's bots as environment variables of its container. Reads nothing for an agent
 * without a bot.
 * @param secrets the secrets of the container
 */
export async function senderEnvironment(
  { table }: { table: Table },
  agent: Agent,
  secrets: Agent['secrets'],
): Promise<Record<string, string>> {
  const has = ({ token }: { token: keyof NonNullable<Agent['secrets']> }) =>
    secrets?.[token] !== undefined
  if (!Object.values(variables).some(has)) return {}
  const senders = await readSenders(table, agent)
  const environment: Record<string, string> = {}
  for (const channel of ['telegram', 'discord'] as const) {
    const ids = approvedOn(senders, channel)
    if (has(variables[channel]) && ids.length > 0)
      environment[variables[channel].variable] = ids.join(',')
  }
  return environment
}
