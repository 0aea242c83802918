import type { Agent } from '../../agents/agent.ts'

/**
 * The image that an agent's next container is made from.
 * @param platforms the platform's own for this agent
 */
export function wantedImage({ pinnedImage }: Agent, platforms: string): string {
  return pinnedImage ?? platforms
}

/**
 * The agent as one that wants another image, on trial until it is seen to be well on it.
 * @param image absent for the platform's own, whichever that is at each start
 * @param platforms the platform's own for this agent
 */
export function withImage(agent: Agent, image: string | undefined, platforms: string): Agent {
  const previousImage = provenImage(agent)
  const proven = agent.trial === undefined ? agent.pinnedImage : (agent.trial.pin ?? undefined)
  const target = image ?? platforms
  // An agent that had the platform's own goes back to it, unless that is the very one to be tried.
  const follows = proven === undefined && previousImage === platforms
  const trial = { pin: follows ? null : previousImage }
  return {
    ...agent,
    pinnedImage: image,
    previousImage,
    trial: target === previousImage ? undefined : trial,
  }
}

/** The image that an agent ran before the one that is now on trial. */
function provenImage({ trial, previousImage, image }: Agent): string {
  return (trial && previousImage) ?? image
}
