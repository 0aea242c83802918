import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import type { AgentServices } from './context.ts'

/** The context of a request by a trusted caller, on behalf of a user or its own. */
export type TrustedContext = AgentServices &
  Pick<Context<InternalActor>, 'actor' | 'owner' | 'requestId'>

/**
 * The context of a trusted caller that creates an agent. The id comes from the seed, so that a retry creates the same
 * agent.
 */
export type TrustedCreateContext = TrustedContext & Pick<Context, 'seed'>

/** The context of a signed-in user who creates an agent. */
export type UserCreateContext = AgentServices &
  Pick<UserContext, 'actor' | 'owner' | 'requestId' | 'seed'>
