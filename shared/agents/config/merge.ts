import { planOfTier } from '../../plans/tiers.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Agent, AgentConfig } from '../agent.ts'
import { longestConfig } from './schema.ts'
import type { SealedChange } from './seal.ts'
import { secretNames, type Secrets } from './secrets.ts'

/**
 * The agent with a change of its config merged in, key by key: null removes one. Pure, so that of changes at once
 * none is lost. Once a change has `sleepAfterMinutes`, also null for never, the default no longer holds for the agent.
 * `plan`, `aiProvider` and `model` are also the agent's own; taking such a key away leaves those alone.
 * @returns `agent` itself where nothing changes
 * @throws PlatformError 400 where the whole becomes too long
 */
export function mergeConfig(agent: Agent, change: SealedChange): Agent {
  const config = merged(agent.config, change)
  const secrets = mergedSecrets(agent, change)
  const sleepsByDefault =
    change.values.sleepAfterMinutes === undefined ? agent.sleepsByDefault : undefined
  if (
    isSame(config, agent.config) &&
    isSame(secrets, agent.secrets ?? {}) &&
    sleepsByDefault === agent.sleepsByDefault
  )
    return agent
  if (JSON.stringify(config).length > longestConfig)
    throw new PlatformError(
      'bad-request',
      `config must have at most ${longestConfig} characters as JSON`,
    )
  const { plan, aiProvider, model } = change.values
  return {
    ...agent,
    config,
    sleepsByDefault,
    secrets: Object.keys(secrets).length === 0 ? undefined : secrets,
    ...(typeof plan === 'string' && { plan: planOfTier(plan).name }),
    ...(typeof aiProvider === 'string' && { aiProvider }),
    ...(typeof model === 'string' && { model }),
  }
}

function merged(before: AgentConfig, { values, secrets, open }: SealedChange): AgentConfig {
  const all = Object.entries({ ...before, ...values })
  const kept = all.filter(([, value]) => value !== null && value !== undefined)
  const config: AgentConfig = Object.fromEntries(kept)
  for (const name of secretNames)
    if (secrets[name] !== undefined || before[name] === open[name]?.text) delete config[name]
  return config
}

function mergedSecrets(agent: Agent, { secrets, open }: SealedChange): Secrets {
  const after: Secrets = { ...agent.secrets }
  for (const name of secretNames) {
    const upgrade = open[name]
    if (upgrade !== undefined && agent.config[name] === upgrade.text) after[name] = upgrade.sealed
    const given = secrets[name]
    if (given === null) delete after[name]
    else if (given !== undefined) after[name] = given
  }
  return after
}

/** JSON alone is compared, and the order of its keys is the one in which they were first given. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
