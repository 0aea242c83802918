import { notConfigured } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'
import type { Agent } from '../agent.ts'
import type { ConfigChange } from './schema.ts'
import { isMask, type SecretName, secretNames, sealPlace } from './secrets.ts'

type Sealed = Pick<Agent, 'id' | 'config' | 'secrets'>

/** A config change for a pure decision, with all secrets encrypted. */
export interface SealedChange {
  /** All values except secrets. Null removes a key. */
  values: Record<string, unknown>
  /** Encrypted secrets. Null removes one. */
  secrets: Partial<Record<SecretName, string | null>>
  /** Secrets that rows of an earlier release contain unencrypted, and the same encrypted. */
  open: Partial<Record<SecretName, { text: string; sealed: string }>>
}

/**
 * Encrypts the secrets of an agent's config change. A masked or unchanged secret is not a change.
 * @param agent as last read; its unencrypted secrets are encrypted too
 * @throws PlatformError 503 if there is a secret to encrypt and no key
 */
export async function sealChange(
  ctx: Reads<'WALLET_ENCRYPTION_KEY'>,
  agent: Sealed,
  change: ConfigChange,
): Promise<SealedChange> {
  const sealed: SealedChange = { values: { ...change }, secrets: {}, open: {} }
  for (const name of secretNames) {
    delete sealed.values[name]
    const text = agent.config[name]
    if (typeof text === 'string')
      sealed.open[name] = { text, sealed: await sealOne(ctx, agent, name, text) }
    const value = change[name]
    if (value === null) sealed.secrets[name] = null
    if (typeof value !== 'string' || isMask(value)) continue
    if (value !== (await openSecret(ctx, agent, name)))
      sealed.secrets[name] = await sealOne(ctx, agent, name, value)
  }
  return sealed
}

/**
 * Decrypts a secret of an agent's config. Undefined if it has none, or one that this platform's key did not encrypt.
 */
export async function openSecret(
  ctx: Reads<'WALLET_ENCRYPTION_KEY'>,
  { id, config, secrets }: Sealed,
  name: SecretName,
): Promise<string | undefined> {
  const sealed = secrets?.[name]
  if (sealed !== undefined) return keyOf(ctx).open(sealed, sealPlace(id, name))
  const open = config[name]
  return typeof open === 'string' ? open : undefined
}

/** Returns the names of an agent's secrets. */
export function namesOfSecrets({ config, secrets }: Sealed): SecretName[] {
  return secretNames.filter(
    (name) => secrets?.[name] !== undefined || typeof config[name] === 'string',
  )
}

function sealOne(
  ctx: Reads<'WALLET_ENCRYPTION_KEY'>,
  { id }: Sealed,
  name: SecretName,
  text: string,
) {
  return keyOf(ctx).seal(text, sealPlace(id, name))
}

function keyOf({ config }: Reads<'WALLET_ENCRYPTION_KEY'>): Sealer {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Storing secrets', ['WALLET_ENCRYPTION_KEY'])
  return sealer(key)
}
