import { type Actor, describeActor, type PlatformActor, type ProviderActor } from './actor.ts'
import { AuditPart } from './audit-chain.ts'
import { digestOf } from './audit-entry.ts'
import type { Context } from './context.ts'

/** What the audit tells of: the closed list of contract.md 9, Audit. */
export type AuditAction =
  | 'account.created'
  | 'password.changed'
  | 'email.changed'
  | 'sessions.ended'
  | 'provider.linked'
  | 'key.created'
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
  | 'operator.agents'
  | 'operator.incidents'
  | 'operator.queues'
  | 'operator.users'
  | 'operator.providers'
  | 'operator.redrive'

/** What an audited verb needs of its context. */
export interface AuditContext extends Pick<Context, 'table' | 'requestId'> {
  actor: Actor | ProviderActor | PlatformActor
}

/** What changed, and of which user. */
export interface Change {
  /** The user in whose audit it stands. */
  userId: string
  /** The id of what changed. */
  target: string
  /** What it was, without secrets and their hashes; absent for what was not there. */
  before?: unknown
  /** What it is now, likewise. */
  after?: unknown
  /**
   * A caller without a session is not taken for the user: what they bring, such as a payment on a chain, proves itself.
   * The entry's actor is then its provider.
   */
  unproven?: true
  /** The user that a caller without a session proves to be, where it is another than `userId`. */
  by?: string
}

/**
 * One entry of the audit, as a part of the transaction that makes the change: `commit(table, { …, audit: await
 * audit(ctx, 'key.created', { userId, target, after }) })`, or in `also` of changeItem and insertCounted. Neither stands
 * without the other. Any number of entries of one transaction, of any users, each extend their user's chain. States go
 * in as SHA-256 of their RFC 8785 JSON.
 */
export async function audit(
  { actor, requestId, table }: AuditContext,
  action: AuditAction,
  { userId, target, before, after, unproven, by = userId }: Change,
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

/** One of contract.md 9's actors: `user:<id>`, `internal:<id>`, `agent:<id>` or `provider`. */
function nameOf(actor: AuditContext['actor'], userId: string, unproven?: true): string {
  // A job acts for who asked for it; where no caller did, it carries out what a provider or a chain says.
  if (actor.type === 'platform') return actor.askedBy.includes(':') ? actor.askedBy : 'provider'
  if (actor.type !== 'public') return describeActor(actor)
  // A caller without a session registers, signs in or opens a mailed link: they are the user that they prove to be.
  return unproven ? 'provider' : `user:${userId}`
}
