import { StartRefused } from '../../platform/containers/port.ts'
import type { Agent } from '../../agents/agent.ts'
import { openSecret, type SealContext } from '../../agents/config/seal.ts'
import { secretNames } from '../../agents/config/secrets.ts'

/** The variables by which a container learns what signs it in to its chat services; the webhook's secret stays here. */
const variables = {
  telegramToken: 'TELEGRAM_TOKEN',
  discordBotToken: 'DISCORD_BOT_TOKEN',
  whatsappToken: 'WHATSAPP_TOKEN',
  webhookSecret: undefined,
} as const

/**
 * The channel tokens of an agent as its container's environment.
 * @param secrets those that the container is made from
 * @throws StartRefused for one that the platform's key does not open any more
 */
export async function channelEnvironment(
  ctx: SealContext,
  { id }: Pick<Agent, 'id'>,
  secrets: Agent['secrets'],
): Promise<Record<string, string>> {
  const environment: Record<string, string> = {}
  for (const name of secretNames) {
    const variable = variables[name]
    if (variable === undefined || secrets?.[name] === undefined) continue
    const token = await openSecret(ctx, { id, config: {}, secrets }, name)
    if (token === undefined)
      throw new StartRefused(`${name} cannot be opened any more: set it again`)
    environment[variable] = token
  }
  return environment
}
