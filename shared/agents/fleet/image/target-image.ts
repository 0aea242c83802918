import type { Agent } from '#shared/agents/record/agent.ts'

/**
 * Returns the image of an agent's next container.
 * @param platforms the platform's own image for this agent
 */
export function targetImage({ pinnedImage }: Agent, platforms: string): string {
  return pinnedImage ?? platforms
}

/**
 * Returns the agent with another image, on trial until it is healthy with it.
 * @param image absent for the platform's own, resolved at each start
 * @param platforms the platform's own image for this agent
 */
export function withImage(agent: Agent, image: string | undefined, platforms: string): Agent {
  const previousImage = provenImage(agent)
  const proven = agent.trial === undefined ? agent.pinnedImage : (agent.trial.pin ?? undefined)
  const target = image ?? platforms
  // An agent that uses the platform's image returns to it, unless that image is on trial.
  const follows = proven === undefined && previousImage === platforms
  const trial = { pin: follows ? null : previousImage }
  return {
    ...agent,
    pinnedImage: image,
    previousImage,
    trial: target === previousImage ? undefined : trial,
  }
}

/** Returns the image before the one on trial. */
function provenImage({ trial, previousImage, image }: Agent): string {
  return (trial && previousImage) ?? image
}
