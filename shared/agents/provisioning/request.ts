import { notConfigured } from '../../platform/errors.ts'
import type { RunRequest } from '../../platform/containers/port.ts'
import { generationVariable } from '../../platform/containers/task.ts'
import type { Agent } from '../agent.ts'
import { agentAiKey } from '../ai-key.ts'
import { gatewayToken } from '../secrets.ts'
import type { ProvisioningContext } from './context.ts'

/** WALLET_ENCRYPTION_KEY. @throws PlatformError 503 without one: nothing secret can be derived */
export function encryptionKey({ config }: Pick<ProvisioningContext, 'config'>): string {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Provisioning', ['WALLET_ENCRYPTION_KEY'])
  return key
}

/** The task of an agent's present generation: the same however often it is asked for. */
export async function runRequest(
  { config }: Pick<ProvisioningContext, 'config'>,
  agent: Agent,
): Promise<RunRequest> {
  const key = encryptionKey({ config })
  const { model, systemPrompt } = agent.config
  return {
    clientToken: `${agent.id}-${agent.generation}`,
    startedBy: agent.id,
    family: `agent-${agent.plan}`,
    environment: {
      AGENT_ID: agent.id,
      [generationVariable]: String(agent.generation),
      AGENT_NAME: agent.name,
      GATEWAY_TOKEN: await gatewayToken(key, agent.id, agent.tokenVersion),
      AI_BASE_URL: `${config.BACKEND_URL}/v1`,
      AI_API_KEY: await agentAiKey(key, agent, agent.generation),
      ...(model && { AI_MODEL: model }),
      ...(systemPrompt && { SYSTEM_PROMPT: systemPrompt }),
    },
    tags: {
      agentId: agent.id,
      userId: agent.userId ?? 'platform',
      generation: String(agent.generation),
      stage: config.PLATFORM_STAGE,
    },
  }
}
