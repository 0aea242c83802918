/**
 * The kinds of settings. Each has a schema in shared/platform/config/kinds.ts and a description in
 * stacks/local/settings/explain.ts.
 */
export type SettingKind =
  | 'address'
  | 'channels'
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
  | 'model-families'
  | 'percent'
  | 'plan-counts'
  | 'plan-usd'
  | 'plan-models'
  | 'plan-routing'
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

/** Kinds that only the stack on one machine reads. */
export type MachineKind = SettingKind | 'access-key-id' | 'port' | 'runtime'

/**
 * An environment variable. The comment above its declaration is its description, in README's table and in editors.
 */
export interface Setting<Kind extends string = SettingKind> {
  kind: Kind
  /** True if the value must not be readable in a console or a log. When deployed, it is encrypted. */
  secret?: true
  /** True if a deployment fails without a value. One machine needs no value, or generates one. */
  required?: true
  /** The value if none is set. */
  default?: string | number | boolean | bigint | readonly string[]
  /** An example value, if it explains more than the default or the kind's own example. */
  example?: string
}
