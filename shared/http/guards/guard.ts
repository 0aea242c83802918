import type {
  AgentActor,
  InternalActor,
  ProvenAgentActor,
  PublicActor,
  UserActor,
} from '#shared/platform/identity/actor.ts'

/** The type of actor that each guard accepts. */
export interface GuardActor {
  /** Anyone. */
  none: PublicActor
  /** Anyone; the body contains a signed message, whose signer the verb verifies after the body was validated. */
  signature: PublicActor
  /** A signed-in user: the session cookie, or an API key or a program's access token as bearer. */
  session: UserActor
  /** A signed-in user by the session cookie; a request with an API key gets 403 SESSION_REQUIRED. */
  'own-session': UserActor
  /** A signed-in user or anyone; the handler decides what anonymous callers see. */
  'optional-session': UserActor | PublicActor
  /** A signed-in user or anyone; if the request has a key, it must be valid. */
  'optional-credential': UserActor | PublicActor
  /** A user's API key as bearer, and nothing else. */
  'user-key': UserActor
  /** The platform's own key as bearer; x-user-id names the user it acts for. */
  internal: InternalActor
  /** Anyone; a function of the platform that calls for an agent proves it by x-agent-proof. */
  'proven-agent-or-anyone': ProvenAgentActor | PublicActor
  /** The platform's key, or a user's key as bearer. */
  'internal-or-user': InternalActor | UserActor
  /** The platform's key, a user's key or an agent's scoped key as bearer. */
  'internal-user-or-agent': InternalActor | UserActor | AgentActor
  /** An agent's scoped key as bearer, and nothing else. */
  agent: AgentActor
  /** An agent's scoped key, or the platform's own. */
  'agent-or-internal': InternalActor | AgentActor
}

export type GuardName = keyof GuardActor
