/** How the text of a setting is read. Each has a schema in shared/platform/config/kinds.ts and words in stacks/local/settings/explain.ts. */
export type SettingKind =
  | 'address'
  | 'count'
  | 'email'
  | 'emails'
  | 'flag'
  | 'host-ports'
  | 'hosts'
  | 'issuer'
  | 'key'
  | 'list'
  | 'milliseconds'
  | 'percent'
  | 'plan-counts'
  | 'plan-usd'
  | 'plan-models'
  | 'task-models'
  | 'demo-models'
  | 'price'
  | 'providers'
  | 'remote-url'
  | 'seconds'
  | 'switch'
  | 'text'
  | 'token-units'
  | 'url'
  | 'usd'
  | 'webhook-secret'
  | 'whole'

/** Kinds that only a stack on one machine reads. */
export type MachineKind = SettingKind | 'access-key-id' | 'port' | 'runtime'

/** One variable of the environment. What it means is the comment above it: README's table and editors show that. */
export interface Setting<Kind extends string = SettingKind> {
  kind: Kind
  /** Never readable in a console or a log: deployed, it travels encrypted. */
  secret?: true
  /** Deploying fails until it has a value; one machine needs none, or makes its own. */
  required?: true
  /** What holds where it is not given. */
  default?: string | number | boolean | bigint | readonly string[]
  /** What may be given, where the default or the kind's own example would say less. */
  example?: string
}
