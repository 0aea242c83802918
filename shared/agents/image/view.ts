import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { runtimeVersion } from '../names.ts'
import { wantedImage } from './wanted.ts'

/** What an update answers of an agent's images: which it is being started on, and which it goes back to. */
export function imageView(
  agent: Agent,
  { config }: Pick<AgentServices, 'config'>,
): { image: string; previousImage: string; runtimeVersion: string | null } {
  const image = wantedImage(agent, config.AGENT_IMAGE)
  const previousImage = agent.previousImage ?? agent.image
  return { image, previousImage, runtimeVersion: runtimeVersion(image) }
}
