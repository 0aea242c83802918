import type { Settings } from '#shared/platform/config/settings.ts'
import { shardOf } from '#shared/platform/table/shard.ts'

/** The settings for the image of agents without their own. */
export type ImageSettings = Pick<
  Settings,
  'AGENT_IMAGE' | 'AGENT_IMAGE_NEXT' | 'AGENT_IMAGE_NEXT_PERCENT'
>

/**
 * Returns the platform's image for an agent: AGENT_IMAGE_NEXT for AGENT_IMAGE_NEXT_PERCENT of all agents. The selection
 * is stable per image, so a restart does not change it and a larger share only adds agents. It differs between images,
 * so that the same agents are not always first.
 */
export function platformsImage(config: ImageSettings, agentId: string): string {
  const { AGENT_IMAGE: image, AGENT_IMAGE_NEXT: next, AGENT_IMAGE_NEXT_PERCENT: percent } = config
  if (next === undefined) return image
  return shardOf(`${next} ${agentId}`, 100) < percent ? next : image
}
