import type { Table } from '../../platform/table/port.ts'
import type { Agent } from '../../agents/agent.ts'
import { agentAiKey } from '../../agents/ai-key.ts'
import { channelEnvironment } from '../channels/environment.ts'
import { credentialEnvironment } from '../../agents/credentials/environment.ts'
import { senderEnvironment } from '../../agents/senders/environment.ts'
import { recipeOf } from '../../agents/recipe.ts'
import { gatewayToken } from '../../agents/secrets.ts'

/** What an agent's container is told beside the ids and addresses, which are no secret. */
export interface AgentEnvironment {
  /** The platform's variables: agent/README.md, Environment. */
  variables: Record<string, string>
  /** The user's own, apart, so that none of them is a variable of the process that is told. */
  credentials: Record<string, string>
}

/**
 * The secrets and settings that an agent's present generation runs by.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 * @throws StartRefused where a secret of its config, or a credential, cannot be opened
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
      AI_API_KEY: await agentAiKey(encryptionKey, agent, agent.generation),
      ...(model && { AI_MODEL: model }),
      ...(systemPrompt && { SYSTEM_PROMPT: systemPrompt }),
      ...(agent.config.bus === true && { AGENT_BUS: '1' }),
      ...(agent.config.mcp === true && { AGENT_MCP: '1' }),
      ...(await channelEnvironment({ config }, agent, secrets)),
      ...(await senderEnvironment({ table }, agent, secrets)),
    },
  }
}
