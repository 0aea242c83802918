import type { Log } from '../log.ts'
import type { Table } from '../table/port.ts'
import type { Actor, PlatformActor, UserActor } from './actor.ts'
import type { OwnerOf } from './owner.ts'

/**
 * The first argument of every verb of the domain: the actor, the table, and the ids that connect log lines and rows
 * with the request. Routes pass their context on; jobs create one from their message.
 */
export interface Context<A extends Actor | PlatformActor = Actor> {
  actor: A
  /**
   * The user whose rows the verb reads and writes. `actor` is the caller, which is used for the audit, scopes, limits
   * and credentials.
   */
  owner: OwnerOf<A>
  table: Table
  log: Log
  /** Id of the first request of the chain, in jobs too. */
  requestId: string
  /** A ULID that is the same for a request and its retries, so that a retried create derives the same ids. */
  seed: string
}

/** The context of verbs for signed-in users. */
export type UserContext = Context<UserActor>
