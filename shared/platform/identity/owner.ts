import type { Actor, AgentActor, InternalActor, UserActor } from './actor.ts'

/**
 * The id of the user whose rows a verb works on, by the type of the actor. It is undefined for a trusted caller that
 * acts for no user, and for callers without an account.
 */
export type OwnerOf<A> = A extends UserActor
  ? string
  : A extends InternalActor | AgentActor
    ? string | undefined
    : undefined

/** Returns the owner of a request: the signed-in user, or the user that a trusted caller or an agent acts for. */
export function ownerFor(actor: Actor): OwnerOf<Actor> {
  if (actor.type === 'user') return actor.user.id
  if (actor.type === 'internal' || actor.type === 'agent') return actor.userId ?? undefined
  return undefined
}
