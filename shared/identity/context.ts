import type { Log } from '../platform/log.ts'
import type { Table } from '../platform/table/port.ts'
import type { Actor, PlatformActor, UserActor } from './actor.ts'

/**
 * What every verb of the domain is given first: who asks, what it works on, and what ties its log lines and rows to
 * the request. Routes pass theirs on; jobs make one from the message.
 */
export interface Context<A extends Actor | PlatformActor = Actor> {
  actor: A
  table: Table
  log: Log
  /** Of the request that began all this, also in the jobs that follow from it. */
  requestId: string
  /** A ULID, the same for a request and its retries: ids made from it make a create repeatable. */
  seed: string
}

/** The context of what only a signed-in user does. */
export type UserContext = Context<UserActor>
