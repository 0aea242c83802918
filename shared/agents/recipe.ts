import type { Agent, Recipe } from './record.ts'

/**
 * What the next container of an agent is made from: its config, or the one that it was well with where it has fallen
 * back to that.
 */
export function recipeOf({ config, secrets, fallenBack, healthyConfig }: Agent): Recipe {
  if (fallenBack && healthyConfig !== undefined) return healthyConfig
  const { model, systemPrompt } = config
  return {
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(secrets !== undefined && { secrets }),
  }
}

/** The agent as one that was seen to be well with what its container was made from. */
export function provenHealthy(agent: Agent): Agent {
  return {
    ...agent,
    healthyConfig: agent.startedWith ?? agent.healthyConfig,
    healthyImage: agent.image,
    startedWith: undefined,
    trial: undefined,
  }
}
