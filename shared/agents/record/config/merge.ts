import { planOfTier } from '#shared/money/plans/tiers.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Agent, AgentConfig } from '../agent.ts'
import { longestConfig } from './schema.ts'
import type { SealedChange } from './seal.ts'
import { secretNames, type Secrets } from './secrets.ts'

/**
 * Merges a change into an agent's config, key by key; null removes a key. Pure, so that no concurrent change is lost.
 * After a change with `sleepAfterMinutes`, also null, the default no longer applies to the agent. `plan`, `aiProvider`
 * and `model` also set the agent's own fields; removing such a key leaves them unchanged.
 * @returns `agent` itself if nothing changes
 * @throws PlatformError 400 if the result is too long
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
  const entries = all.filter(([, value]) => value !== null && value !== undefined)
  const config: AgentConfig = Object.fromEntries(entries)
  for (const name of secretNames)
    if (secrets[name] !== undefined || before[name] === open[name]?.text) delete config[name]
  return config
}

function mergedSecrets(agent: Agent, { secrets, open }: SealedChange): Secrets {
  const after: Secrets = { ...agent.secrets }
  for (const name of secretNames) {
    const upgrade = open[name]
    if (upgrade !== undefined && agent.config[name] === upgrade.text) after[name] = upgrade.sealed
    const secret = secrets[name]
    if (secret === null) delete after[name]
    else if (secret !== undefined) after[name] = secret
  }
  return after
}

/** Compares two objects as JSON, including the order of keys, which never changes after the first write. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
