import { isDeepStrictEqual } from 'node:util'
import type { Fallbacks } from '../../watchdog/event.ts'
import type { Fallback } from '../../watchdog/schema.ts'
import type { Agent } from '../../agents/agent.ts'

/** What an agent was well with and is not made from now, the smaller step back first. */
export function fallbacksOf(agent: Agent): Fallbacks {
  // A new image that does not work is the likeliest cause: it is taken back without a restart before.
  if (agent.trial !== undefined) return { steps: ['healthy_image'], atOnce: true }
  const steps: Fallback[] = []
  if (hasOtherConfig(agent)) steps.push('healthy_config')
  if (hasOtherImage(agent)) steps.push('healthy_image')
  return { steps, atOnce: false }
}

function hasOtherConfig({ startedWith, healthyConfig }: Agent): boolean {
  if (startedWith === undefined || healthyConfig === undefined) return false
  return !isDeepStrictEqual(startedWith, healthyConfig)
}

function hasOtherImage({ image, healthyImage }: Agent): boolean {
  return healthyImage !== undefined && healthyImage !== image
}

/**
 * The agent as one that goes back to what it was well with. Its config stays as the person wrote it and is tried again
 * when a person starts it; the image stays until a person updates it.
 */
export function fallBack(agent: Agent, to: Fallback): Agent {
  if (to === 'healthy_config') return { ...agent, fallenBack: true }
  const { trial, healthyImage } = agent
  const pinnedImage = trial === undefined ? healthyImage : (trial.pin ?? undefined)
  return { ...agent, pinnedImage, trial: undefined }
}
