import type { Secrets } from './config/secrets.ts'
import type { Agent, Recipe } from './record.ts'

/**
 * Returns the settings of an agent's next container: its config, or its last healthy one if it has fallen back to that.
 */
export function recipeOf({ config, secrets, fallenBack, healthyConfig }: Agent): Recipe {
  const isBack = fallenBack === true && healthyConfig !== undefined
  const { model, systemPrompt } = isBack ? healthyConfig : config
  const given = isBack ? healthyConfig.secrets : secrets
  return {
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(given !== undefined && { secrets: containers(given) }),
  }
}

/** Returns the secrets that a container gets. The platform itself uses the token for Telegram. */
function containers(secrets: Secrets): Secrets {
  const { telegramToken: _, ...others } = secrets
  return others
}

/** Returns whether a release before this one gave the token for Telegram to the agent's container. */
export function containerHasTelegram({ startedWith, healthyConfig, desired }: Agent): boolean {
  const recipe = startedWith ?? healthyConfig
  return desired === 'running' && recipe?.secrets?.telegramToken !== undefined
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
