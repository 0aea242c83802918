import type { AgentServices } from '../agents/context.ts'
import type { InternalActor } from '../identity/actor.ts'
import type { Context, UserContext } from '../identity/context.ts'

/** The context of what a trusted caller asks for, on a user's behalf or on its own. */
export type TrustedContext = AgentServices & Pick<Context<InternalActor>, 'actor' | 'requestId'>

/** The same where an agent is made: its id comes from the seed, so that a repeat makes the same one. */
export type TrustedCreateContext = TrustedContext & Pick<Context, 'seed'>

/** The context in which a signed-in user makes an agent. */
export type UserCreateContext = AgentServices & Pick<UserContext, 'actor' | 'requestId' | 'seed'>
