import type { Settings } from '../../platform/config/settings.ts'
import { shardOf } from '../../platform/table/shard.ts'

/** The settings that say which image agents without one of their own are made from. */
export type ImageSettings = Pick<
  Settings,
  'AGENT_IMAGE' | 'AGENT_IMAGE_NEXT' | 'AGENT_IMAGE_NEXT_PERCENT'
>

/**
 * The platform's own image for an agent: AGENT_IMAGE_NEXT for as many agents of a hundred as AGENT_IMAGE_NEXT_PERCENT
 * says. Always the same ones for an image, so that a restart does not change it and a greater share only adds to them;
 * others for the next image, so that no user's agents are the first ones each time.
 */
export function platformsImage(config: ImageSettings, agentId: string): string {
  const { AGENT_IMAGE: image, AGENT_IMAGE_NEXT: next, AGENT_IMAGE_NEXT_PERCENT: percent } = config
  if (next === undefined) return image
  return shardOf(`${next} ${agentId}`, 100) < percent ? next : image
}
