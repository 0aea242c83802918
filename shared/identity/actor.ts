import type { Item } from '../platform/table/port.ts'

/** Who is calling. The guard says it once; verbs read it from their context and from nowhere else. */

/** What an API key may do for its user: contract.md 11. */
export const keyScopes = ['read', 'chat', 'write', 'money', 'admin'] as const

export type KeyScope = (typeof keyScopes)[number]

/** The scopes that only a session gives to a key; no key gives them to another. */
export const sessionScopes: readonly KeyScope[] = ['money', 'admin']

/**
 * True if a key's scopes include the needed one. `read` opens every GET. `write` and `admin` open everything except
 * `money` and `admin`. Only `money` opens `money`.
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

/** A caller that holds the platform's own key, acting for the user it names, if it names one. */
export interface InternalActor {
  type: 'internal'
  userId: string | undefined
  email: string | undefined
  role: string | undefined
  /** The profile of the user it acts for, in functions that look for it; absent where there is none. */
  profile: Item | undefined
}

/** A function of the platform that calls another one for an agent. It has none of the agent's own access. */
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
  /** The agent's row and its owner's profile, which come with the key in one read; absent where there is none. */
  rows: {
    agent: Item | undefined
    owner: Item | undefined
    /** A further row, in functions that ask for one. */
    beside?: Item | undefined
  }
}

/** An identity or payment provider, whose signed events change what no caller asked for. */
export interface ProviderActor {
  type: 'provider'
}

/** The platform itself, in a job or at a tick of a schedule. */
export interface PlatformActor {
  type: 'platform'
  /** Who asked for it in the first place, as describeActor said it. */
  askedBy: string
}

export type Actor = PublicActor | UserActor | InternalActor | AgentActor | ProvenAgentActor

/** What every request of a signed-in user needs to know of them; it comes with the session in one read. */
export interface UserIdentity {
  id: string
  email: string
  name: string
  emailVerified: boolean
  /** What is sent of their work to a collector of theirs; absent where nothing is. */
  telemetry?: { content: boolean } | undefined
  /** As it was when the caller was let in; it is another as soon as every session was ended. */
  accessEpoch: number
  /** As `accessEpoch`, of API keys: another as soon as every key was ended. */
  keyEpoch?: number | undefined
  /** Holds a verified email of ADMIN_EMAILS. */
  isAdmin: boolean
  plan: string
  subscription: { id: string | null; status: string }
  /** USD a calendar month in UTC. */
  spendCapUsd?: number | undefined
  /** What calls beyond the plan's quota may draw, unless `useCredits` is false. */
  creditMicroUsd?: number | undefined
  useCredits?: boolean | undefined
  /** Keys of the user's own at model providers, sealed. */
  byok?: Readonly<Record<string, string>> | undefined
  /** SHA-256 of the session's token, absent for a key. */
  sessionHash?: string
  /** SHA-256 of the API key, absent for a session. */
  keyDigest?: string
  /** Id and name of the API key, by which its usage is told apart; absent for a session. */
  keyId?: string
  keyName?: string
  /** What was granted to the program whose access token it is, by its id. */
  grantId?: string
  /** What the API key or the access token may do, absent for a session. */
  scopes?: readonly KeyScope[]
}

/** The ways to find out who holds a credential; the accounts and agents domains provide them. */
export interface Identity {
  /** @param token the whole value of the session cookie */
  session?(token: string): Promise<UserIdentity | undefined>
  /** @param key a user's API key, `sk_…` */
  userKey?(key: string): Promise<UserIdentity | undefined>
  /** @param token a program's access token, `at_…` */
  accessToken?(token: string): Promise<UserIdentity | undefined>
  /** The profile of the user that a trusted caller acts for */
  profile?(userId: string): Promise<Item | undefined>
  /** @param key an agent's scoped key, `ak_…` */
  agentKey?(key: string): Promise<AgentIdentity | undefined>
}

/** For a log line: enough to find the caller, nothing that would let anyone act as them. */
export function describeActor(actor: Actor | ProviderActor | PlatformActor): string {
  if (actor.type === 'user') return `user:${actor.user.id}`
  if ('agentId' in actor) return `agent:${actor.agentId}`
  if (actor.type === 'internal') return `internal:${actor.userId ?? ''}`
  return actor.type
}
