import type { Agent } from '#shared/agents/record/agent.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { openSecret } from '#shared/agents/record/config/seal.ts'
import { credentialEnvironment } from '#shared/agents/record/credentials/environment.ts'
import { recipeOf } from '#shared/agents/record/recipe.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { senderEnvironment } from '#shared/agents/record/senders/environment.ts'
import { channels } from '#shared/manifest/channels.ts'
import { StartRefused } from '#shared/platform/containers/port.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Table } from '#shared/platform/table/port.ts'

/** The secret environment of an agent's container; ids and addresses are not part of it. */
export interface AgentEnvironment {
  /** The platform's variables: agent/README.md, Environment. */
  variables: Record<string, string>
  /** The user's credentials. Separate, so that they do not become variables of the gateway process. */
  credentials: Record<string, string>
}

/**
 * Returns the secrets and settings of an agent's current generation.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 * @throws StartRefused if a secret of its config or a credential cannot be decrypted
 */
export async function agentEnvironment(
  table: Table,
  encryptionKey: string,
  agent: Agent,
): Promise<AgentEnvironment> {
  const { model, systemPrompt, secrets } = agent.startedWith ?? recipeOf(agent)
  const config = { WALLET_ENCRYPTION_KEY: encryptionKey }
  return {
    credentials: await credentialEnvironment({ table }, { encryptionKey, agent }),
    variables: {
      AGENT_NAME: agent.name,
      GATEWAY_TOKEN: await gatewayToken(encryptionKey, agent.id, agent.tokenVersion),
      AGENT_FILES: '1',
      AI_API_KEY: await agentAiKey(encryptionKey, agent, agent.generation),
      ...(model && { AI_MODEL: model }),
      ...(systemPrompt && { SYSTEM_PROMPT: systemPrompt }),
      ...(agent.config.bus === true && { AGENT_BUS: '1' }),
      ...(agent.config.mcp === true && { AGENT_MCP: '1' }),
      ...(agent.hasConnections === true && { AGENT_CONNECTIONS: '1' }),
      ...(await channelEnvironment({ config }, agent, secrets)),
      ...(await senderEnvironment({ table }, agent, secrets)),
    },
  }
}

/**
 * Returns the channel tokens of an agent as its container's environment.
 * @param secrets the secrets of the config
 * @throws StartRefused if a token cannot be decrypted
 */
async function channelEnvironment(
  ctx: Reads<'WALLET_ENCRYPTION_KEY'>,
  { id }: Pick<Agent, 'id'>,
  secrets: Agent['secrets'],
): Promise<Record<string, string>> {
  const environment: Record<string, string> = {}
  for (const { token: name, variable } of Object.values(channels)) {
    if (variable === undefined || secrets?.[name] === undefined) continue
    const token = await openSecret(ctx, { id, config: {}, secrets }, name)
    if (token === undefined)
      throw new StartRefused(`${name} can no longer be decrypted: set it again`)
    environment[variable] = token
  }
  return environment
}
