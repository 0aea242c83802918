import { isDeepStrictEqual } from 'node:util'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { Fallbacks } from '#shared/agents/watchdog/event.ts'
import type { Fallback } from '#shared/agents/watchdog/schema.ts'

/** Returns the last healthy settings that an agent does not use now, smallest step first. */
export function fallbacksOf(agent: Agent): Fallbacks {
  // A new image is the likeliest cause, so it is replaced without another restart.
  if (agent.trial !== undefined) return { steps: ['healthy_image'], isImmediate: true }
  const steps: Fallback[] = []
  if (hasOtherConfig(agent)) steps.push('healthy_config')
  if (hasOtherImage(agent)) steps.push('healthy_image')
  return { steps, isImmediate: false }
}

function hasOtherConfig({ startedWith, healthyConfig }: Agent): boolean {
  if (startedWith === undefined || healthyConfig === undefined) return false
  return !isDeepStrictEqual(startedWith, healthyConfig)
}

function hasOtherImage({ image, healthyImage }: Agent): boolean {
  return healthyImage !== undefined && healthyImage !== image
}

/**
 * Returns the agent with its last healthy settings. Its config stays as the person wrote it and is tried again when a
 * person starts the agent. The image stays until a person updates it.
 */
export function fallBack(agent: Agent, to: Fallback): Agent {
  if (to === 'healthy_config') return { ...agent, fallenBack: true }
  const { trial, healthyImage } = agent
  const pinnedImage = trial === undefined ? healthyImage : (trial.pin ?? undefined)
  return { ...agent, pinnedImage, trial: undefined }
}
