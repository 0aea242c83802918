import type { SecretName } from './manifest/index.ts'

/** Nothing works without these: deploying fails until `sst secret set` has given them a value. */
const required = ['INTERNAL_API_KEY', 'ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'] as const

/** A feature each; empty counts as absent, and the feature then says that it is not configured. */
const optional = [
  'AI_API_KEY',
  'AI_PROVIDERS',
  'NOTIFY_CHAT_BOT_TOKEN',
  'NOTIFY_TEAM_WEBHOOK_URL',
] as const

/**
 * Linked to a function, a secret travels in an encrypted file of its code package and is read through `sst/resource`;
 * it is never a plain variable, which anybody who may describe a function could read.
 */
export const secrets: Record<SecretName, sst.Secret> = Object.assign(
  Object.fromEntries(required.map((name) => [name, new sst.Secret(name)])) as Record<
    (typeof required)[number],
    sst.Secret
  >,
  Object.fromEntries(optional.map((name) => [name, new sst.Secret(name, '')])) as Record<
    (typeof optional)[number],
    sst.Secret
  >,
)
