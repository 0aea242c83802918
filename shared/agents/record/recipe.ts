import type { Agent, Recipe } from './record.ts'

/**
 * Returns the settings of an agent's next container: its config, or its last healthy one if it has fallen back to that.
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

/** Records the settings of the agent's container as healthy. */
export function provenHealthy(agent: Agent): Agent {
  return {
    ...agent,
    healthyConfig: agent.startedWith ?? agent.healthyConfig,
    healthyImage: agent.image,
    startedWith: undefined,
    trial: undefined,
  }
}
