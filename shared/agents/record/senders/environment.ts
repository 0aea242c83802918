import { channels } from '#shared/manifest/channels.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { approvedOn, readSenders } from './read.ts'

/** The environment variable with the approved senders of each bot that runs in the container. */
const variables = { discord: 'DISCORD_SENDERS' } as const

const ownBots = ['discord'] as const

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
  const bots = ownBots.filter((name) => secrets?.[channels[name].token] !== undefined)
  if (bots.length === 0) return {}
  const senders = await readSenders(table, agent)
  const environment: Record<string, string> = {}
  for (const channel of bots) {
    const ids = approvedOn(senders, channel)
    if (ids.length > 0) environment[variables[channel]] = ids.join(',')
  }
  return environment
}
