import { type Actor, describeActor, type PlatformActor, type ProviderActor } from './actor.ts'
import { AuditPart } from './audit-chain.ts'
import { digestOf } from './audit-entry.ts'
import type { Context } from './context.ts'

/** The audited actions: the closed list of contract.md 9, Audit. */
export type AuditAction =
  | 'account.created'
  | 'password.changed'
  | 'email.changed'
  | 'sessions.ended'
  | 'provider.linked'
  | 'key.created'
  | 'key.changed'
  | 'key.deleted'
  | 'subscription.changed'
  | 'credits.granted'
  | 'storage.changed'
  | 'byok.enabled'
  | 'byok.disabled'
  | 'wallet.created'
  | 'split.created'
  | 'split.completed'
  | 'split.failed'
  | 'clone.paid'
  | 'booking.settled'
  | 'verification.changed'
  | 'image.changed'
  | 'policy.changed'
  | 'mandate.changed'
  | 'connection.changed'
  | 'approval.approved'
  | 'approval.denied'
  | 'operator.agents'
  | 'operator.incidents'
  | 'operator.queues'
  | 'operator.users'
  | 'operator.providers'
  | 'operator.redrive'

/** The part of a verb's context that its audit needs. */
export interface AuditContext extends Pick<Context, 'table' | 'requestId'> {
  actor: Actor | ProviderActor | PlatformActor
}

/** A change and its user. */
export interface AuditedChange {
  /** The user whose audit contains the entry. */
  userId: string
  /** The id of the changed object. */
  target: string
  /** The state before the change, without secrets and their hashes; absent if the object did not exist. */
  before?: unknown
  /** The state after the change, in the same form. */
  after?: unknown
  /**
   * True if a caller without a session is not the user, but proves the change otherwise, such as by a payment on a
   * chain. The entry's actor is then `provider`.
   */
  unproven?: true
  /** The user that a caller without a session has identified as, if different from `userId`. */
  by?: string
}

/**
 * Creates an audit entry as a part of the transaction that makes the change: `commit(table, { …, audit: await
 * audit(ctx, 'key.created', { userId, target, after }) })`, or in `also` of changeItem and insertCounted. Entry and
 * change are written together or not at all. A transaction may have any number of entries, for any users; each
 * extends its user's chain. States are stored as SHA-256 of their RFC 8785 JSON.
 */
export async function audit(
  { actor, requestId, table }: AuditContext,
  action: AuditAction,
  { userId, target, before, after, unproven, by = userId }: AuditedChange,
): Promise<AuditPart> {
  return new AuditPart(table, userId, {
    actor: nameOf(actor, by, unproven),
    action,
    target: target.toWellFormed(),
    before: await digestOf(before),
    after: await digestOf(after),
    requestId: requestId.toWellFormed(),
  })
}

/** Returns the name of an actor as in contract.md 9: `user:<id>`, `internal:<id>`, `agent:<id>` or `provider`. */
function nameOf(actor: AuditContext['actor'], userId: string, unproven?: true): string {
  // A job acts for the first caller. Without a caller, an event of a provider or a chain caused it.
  if (actor.type === 'platform') return actor.askedBy.includes(':') ? actor.askedBy : 'provider'
  if (actor.type !== 'public') return describeActor(actor)
  // A caller without a session who registers, signs in or opens a mailed link is identified as the user by it.
  return unproven ? 'provider' : `user:${userId}`
}
