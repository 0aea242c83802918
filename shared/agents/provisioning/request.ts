import { notConfigured } from '../../platform/errors.ts'
import type { RunRequest } from '../../platform/containers/port.ts'
import { generationVariable } from '../../platform/containers/task.ts'
import type { Agent } from '../agent.ts'
import { agentAiKey } from '../ai-key.ts'
import { channelEnvironment } from '../channels/environment.ts'
import { credentialEnvironment } from '../credentials/environment.ts'
import { recipeOf } from '../healthy/recipe.ts'
import { gatewayToken } from '../secrets.ts'
import type { ProvisioningContext } from './context.ts'

/** WALLET_ENCRYPTION_KEY. @throws PlatformError 503 without one: nothing secret can be derived */
export function encryptionKey({ config }: Pick<ProvisioningContext, 'config'>): string {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Provisioning', ['WALLET_ENCRYPTION_KEY'])
  return key
}

/**
 * The task of an agent's present generation: the same however often it is asked for.
 * @throws StartRefused where a secret of its config cannot be opened
 */
export async function runRequest(
  { config, table }: Pick<ProvisioningContext, 'config' | 'table'>,
  agent: Agent,
): Promise<RunRequest> {
  const key = encryptionKey({ config })
  const { model, systemPrompt, secrets } = agent.startedWith ?? recipeOf(agent)
  return {
    clientToken: `${agent.id}-${agent.generation}`,
    startedBy: agent.id,
    family: `agent-${agent.plan}`,
    image: agent.image === config.AGENT_IMAGE ? undefined : agent.image,
    environment: {
      ...(await credentialEnvironment(table, key, agent)),
      AGENT_ID: agent.id,
      [generationVariable]: String(agent.generation),
      AGENT_NAME: agent.name,
      GATEWAY_TOKEN: await gatewayToken(key, agent.id, agent.tokenVersion),
      AI_BASE_URL: `${config.BACKEND_URL}/v1`,
      AI_API_KEY: await agentAiKey(key, agent, agent.generation),
      ...(model && { AI_MODEL: model }),
      ...(systemPrompt && { SYSTEM_PROMPT: systemPrompt }),
      ...(await channelEnvironment({ config }, agent, secrets)),
    },
    tags: {
      agentId: agent.id,
      userId: agent.userId ?? 'platform',
      generation: String(agent.generation),
      stage: config.PLATFORM_STAGE,
    },
  }
}
