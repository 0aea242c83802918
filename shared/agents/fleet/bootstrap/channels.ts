import type { Agent } from '#shared/agents/record/agent.ts'
import { openSecret } from '#shared/agents/record/config/seal.ts'
import { secretNames } from '#shared/agents/record/config/secrets.ts'
import { StartRefused } from '#shared/platform/containers/port.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'

/** The variables for the container's sign-in to its chat services. The webhook's secret is not among them. */
const variables = {
  telegramToken: 'TELEGRAM_TOKEN',
  discordBotToken: 'DISCORD_BOT_TOKEN',
  whatsappToken: 'WHATSAPP_TOKEN',
  webhookSecret: undefined,
} as const

/**
 * Returns the channel tokens of an agent as its container's environment.
 * @param secrets the secrets of the config
 * @throws StartRefused if a token cannot be decrypted
 */
export async function channelEnvironment(
  ctx: Reads<'WALLET_ENCRYPTION_KEY'>,
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
