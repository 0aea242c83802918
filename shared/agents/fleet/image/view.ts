import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentSetting } from '#shared/agents/record/context.ts'
import { runtimeVersion } from '#shared/agents/record/image/last-image.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { targetImage } from './target-image.ts'

/**
 * Returns an agent's images after an update: the image it is started with, the image it returns to on failure, and the
 * version that runs.
 */
export function imageView(
  agent: Agent,
  { config }: Reads<AgentSetting>,
): { image: string; previousImage: string; runtimeVersion: string | null } {
  const image = targetImage(agent, platformsImage(config, agent.id))
  const previousImage = agent.previousImage ?? agent.image
  return { image, previousImage, runtimeVersion: runtimeVersion(agent) }
}
