import type { Agent } from '#shared/agents/record/agent.ts'
import type { RunRequest } from '#shared/platform/containers/port.ts'
import { generationVariable } from '#shared/platform/containers/task.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import { agentEnvironment } from '../bootstrap/environment.ts'
import { bootstrapToken } from '../bootstrap/token.ts'
import { asksForSpot } from '../states/spot.ts'
import type { ProvisioningContext } from './context.ts'

/**
 * Returns WALLET_ENCRYPTION_KEY.
 * @throws PlatformError 503 without one, because no secret can be derived
 */
export function encryptionKey({ config }: Pick<ProvisioningContext, 'config'>): string {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Provisioning', ['WALLET_ENCRYPTION_KEY'])
  return key
}

/**
 * Returns the RunTask request of an agent's current generation. Retries return the same request. Every operator with
 * access to tasks or their events can read the environment, so it contains no secret except the container's one-time
 * token, which fetches the other secrets.
 * @throws StartRefused if a secret that the container will fetch cannot be decrypted
 */
export async function runRequest(
  { config, table }: Pick<ProvisioningContext, 'config' | 'table'>,
  agent: Agent,
): Promise<RunRequest> {
  const key = encryptionKey({ config })
  await agentEnvironment(table, key, agent)
  const { id: agentId, generation } = agent
  return {
    // ECS has stored the client token of the request that failed without Spot capacity, so this request needs another
    // one.
    clientToken: `${agent.id}-${agent.generation}${agent.onDemand ? '-on-demand' : ''}`,
    startedBy: agent.id,
    family: `agent-${agent.plan}`,
    spot: asksForSpot(agent),
    image: agent.image === config.AGENT_IMAGE ? undefined : agent.image,
    environment: {
      AGENT_ID: agentId,
      [generationVariable]: String(generation),
      AGENT_BOOTSTRAP_URL: `${config.BACKEND_URL}/bootstrap`,
      AGENT_BOOTSTRAP_TOKEN: await bootstrapToken(key, { agentId, generation }),
      AI_BASE_URL: `${config.BACKEND_URL}/v1`,
    },
    tags: {
      agentId: agent.id,
      userId: agent.userId ?? 'platform',
      generation: String(agent.generation),
      stage: config.PLATFORM_STAGE,
    },
  }
}
