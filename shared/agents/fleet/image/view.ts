import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentServices } from '#shared/agents/record/context.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import { runtimeVersion } from '#shared/agents/record/image/ran.ts'
import { wantedImage } from './wanted.ts'

/**
 * Returns an agent's images after an update: the image it is started with, the image it returns to on failure, and the
 * version that runs.
 */
export function imageView(
  agent: Agent,
  { config }: Pick<AgentServices, 'config'>,
): { image: string; previousImage: string; runtimeVersion: string | null } {
  const image = wantedImage(agent, platformsImage(config, agent.id))
  const previousImage = agent.previousImage ?? agent.image
  return { image, previousImage, runtimeVersion: runtimeVersion(agent) }
}
