import { notConfigured } from '../../platform/errors.ts'
import { type Sealer, sealer } from '../../platform/seal.ts'
import type { Agent } from '../agent.ts'
import type { AgentSettings } from '../context.ts'
import type { ConfigChange } from './schema.ts'
import { isMask, type SecretName, secretNames, sealPlace } from './secrets.ts'

export interface SealContext {
  config: Pick<AgentSettings, 'WALLET_ENCRYPTION_KEY'>
}

type Sealed = Pick<Agent, 'id' | 'config' | 'secrets'>

/** A change of a config that a pure decision can merge: nothing in it is left to seal. */
export interface SealedChange {
  /** Everything but secrets; null removes a key. */
  values: Record<string, unknown>
  /** Sealed, null to remove. */
  secrets: Partial<Record<SecretName, string | null>>
  /** What rows of an earlier release hold in the open, and the same sealed. */
  open: Partial<Record<SecretName, { text: string; sealed: string }>>
}

/**
 * Seals the secrets of a config's change for an agent. A masked one, and one that the agent has already, are no change.
 * @param agent as it was read; what it holds in the open is sealed too
 * @throws PlatformError 503 where there is something to seal and no key
 */
export async function sealChange(
  ctx: SealContext,
  agent: Sealed,
  change: ConfigChange,
): Promise<SealedChange> {
  const sealed: SealedChange = { values: { ...change }, secrets: {}, open: {} }
  for (const name of secretNames) {
    delete sealed.values[name]
    const text = agent.config[name]
    if (typeof text === 'string')
      sealed.open[name] = { text, sealed: await sealOne(ctx, agent, name, text) }
    const given = change[name]
    if (given === null) sealed.secrets[name] = null
    if (typeof given !== 'string' || isMask(given)) continue
    if (given !== (await openSecret(ctx, agent, name)))
      sealed.secrets[name] = await sealOne(ctx, agent, name, given)
  }
  return sealed
}

/** A secret of an agent's config; undefined where it has none, or one that this platform's key did not seal. */
export async function openSecret(
  ctx: SealContext,
  { id, config, secrets }: Sealed,
  name: SecretName,
): Promise<string | undefined> {
  const sealed = secrets?.[name]
  if (sealed !== undefined) return keyOf(ctx).open(sealed, sealPlace(id, name))
  const open = config[name]
  return typeof open === 'string' ? open : undefined
}

/** The names of the secrets that an agent has. */
export function namesOfSecrets({ config, secrets }: Sealed): SecretName[] {
  return secretNames.filter(
    (name) => secrets?.[name] !== undefined || typeof config[name] === 'string',
  )
}

function sealOne(ctx: SealContext, { id }: Sealed, name: SecretName, text: string) {
  return keyOf(ctx).seal(text, sealPlace(id, name))
}

function keyOf({ config }: SealContext): Sealer {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Keeping secrets', ['WALLET_ENCRYPTION_KEY'])
  return sealer(key)
}
