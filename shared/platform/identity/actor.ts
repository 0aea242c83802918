import type { Routing } from '../model-routing.ts'
import type { Item } from '../table/port.ts'

/** The caller. The guard identifies the caller once; verbs read the actor from their context only. */

/** The permissions of an API key: contract.md 11. */
export const keyScopes = ['read', 'chat', 'write', 'money', 'admin'] as const

export type KeyScope = (typeof keyScopes)[number]

/** Scopes that only a session can give to a key; a key cannot give them to another key. */
export const sessionScopes: readonly KeyScope[] = ['money', 'admin']

/**
 * True if a key's scopes allow a request. `read` allows every GET. `write` and `admin` allow all requests that do not
 * need `money` or `admin`. Only `money` allows requests that need `money`.
 */
export function allows(
  scopes: readonly KeyScope[] = [],
  needed: KeyScope,
  method: string,
): boolean {
  if (scopes.includes(needed)) return true
  if (sessionScopes.includes(needed)) return false
  const reads = method === 'GET' && scopes.includes('read')
  return reads || scopes.includes('write') || scopes.includes('admin')
}

/** True if a caller may move money and raise spend limits: a session, or a key with the scope `money`. */
export function mayMoveMoney({ scopes }: Pick<UserIdentity, 'scopes'>): boolean {
  return scopes === undefined || scopes.includes('money')
}

export interface PublicActor {
  type: 'public'
}

export interface UserActor {
  type: 'user'
  user: UserIdentity
  /** A program's access token counts as a key. */
  via: 'session' | 'key'
}

/** A caller with the platform's own key. It can act for a user. */
export interface InternalActor {
  type: 'internal'
  userId: string | undefined
  email: string | undefined
  role: string | undefined
  /** The profile of that user, in functions that read it; absent if the user has none. */
  profile: Item | undefined
}

/**
 * A function of the platform that calls another function on behalf of an agent. It does not have the agent's
 * permissions.
 */
export interface ProvenAgentActor {
  type: 'proven-agent'
  agentId: string
}

/** An agent's container, by its scoped key. */
export interface AgentActor extends AgentIdentity {
  type: 'agent'
}

export interface AgentIdentity {
  agentId: string
  userId: string | null
  /** The start of the agent that the key belongs to. */
  generation: number
  /** The agent's row and its owner's profile, read together with the key; undefined if a row does not exist. */
  rows: {
    agent: Item | undefined
    owner: Item | undefined
    /** The additional row, in functions that request one. */
    beside?: Item | undefined
  }
}

/** An identity or payment provider, whose signed events cause changes that no caller requested. */
export interface ProviderActor {
  type: 'provider'
}

/** The platform itself, in a job or a schedule's tick. */
export interface PlatformActor {
  type: 'platform'
  /** The actor of the first request, as `describeActor` formats it. */
  askedBy: string
}

export type Actor = PublicActor | UserActor | InternalActor | AgentActor | ProvenAgentActor

/** The data of a signed-in user that every request needs; read together with the session. */
export interface UserIdentity {
  id: string
  email: string
  name: string
  emailVerified: boolean
  /** The user's telemetry settings; absent if nothing is sent to a collector. */
  telemetry?: { content: boolean } | undefined
  /** The user's access epoch when the guard accepted the request. It changes when all sessions are revoked. */
  accessEpoch: number
  /** The epoch of API keys, which changes when all keys are revoked. */
  keyEpoch?: number | undefined
  /** True if the user has a verified email address from ADMIN_EMAILS. */
  isAdmin: boolean
  plan: string
  subscription: { id: string | null; status: string }
  /** USD per calendar month, UTC. */
  spendCapUsd?: number | undefined
  /** USD per day, UTC. */
  spendCapUsdPerDay?: number | undefined
  /** Credits for calls beyond the plan's quota, unless `useCredits` is false. */
  creditMicroUsd?: number | undefined
  useCredits?: boolean | undefined
  /** The user's own keys of model providers, sealed. */
  byok?: Readonly<Record<string, string>> | undefined
  /** SHA-256 of the session's token; absent for a key. */
  sessionHash?: string
  /** SHA-256 of the API key; absent for a session. */
  keyDigest?: string
  /** Id and name of the API key, for its usage statistics; absent for a session. */
  keyId?: string
  keyName?: string
  /** Id of the grant that the access token belongs to. */
  grantId?: string
  /** The scopes of the API key or access token; absent for a session. */
  scopes?: readonly KeyScope[]
  /** The limits of the API key; absent without limits. */
  keyLimits?: KeyLimits | undefined
}

/** The limits of an API key: contract.md 11. A missing field means no limit. */
export interface KeyLimits {
  /** The models that the key may use. */
  models?: string[] | undefined
  /** Calls of models per minute. */
  requestsPerMinute?: number | undefined
  /** USD per day and per calendar month, UTC. */
  usdPerDay?: number | undefined
  usdPerMonth?: number | undefined
  /** The choice of providers for the key's calls. */
  routing?: Routing | undefined
}

/** The look-ups that return the holder of a credential. The districts accounts and agents implement them. */
export interface Identity {
  /** @param token the full value of the session cookie */
  session?(token: string): Promise<UserIdentity | undefined>
  /** @param key a user's API key, `sk_…` */
  userKey?(key: string): Promise<UserIdentity | undefined>
  /** @param token a program's access token, `at_…` */
  accessToken?(token: string): Promise<UserIdentity | undefined>
  /** The profile of the user that a trusted caller acts for. */
  profile?(userId: string): Promise<Item | undefined>
  /** @param key an agent's scoped key, `ak_…` */
  agentKey?(key: string): Promise<AgentIdentity | undefined>
}

/** Returns a text that identifies the actor in log lines, without secrets. */
export function describeActor(actor: Actor | ProviderActor | PlatformActor): string {
  if (actor.type === 'user') return `user:${actor.user.id}`
  if ('agentId' in actor) return `agent:${actor.agentId}`
  if (actor.type === 'internal') return `internal:${actor.userId ?? ''}`
  return actor.type
}
