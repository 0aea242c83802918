import canonicalize from 'canonicalize'
import { sha256Hex } from '../platform/crypto.ts'
import { newSeed } from '../platform/ids.ts'
import type { Write } from '../platform/table/port.ts'
import { type Actor, describeActor, type ProviderActor } from './actor.ts'
import type { Context } from './context.ts'
import { auditRows } from './rows.ts'

/** What the audit tells of: contract.md 9, Audit, and what else decides over an agent, its credentials or money. */
export type AuditAction =
  | 'account.created'
  | 'password.changed'
  | 'email.changed'
  | 'sessions.ended'
  | 'provider.linked'
  | 'key.created'
  | 'key.deleted'
  | 'subscription.changed'
  | 'byok.enabled'
  | 'byok.disabled'
  | 'clone.paid'
  | 'verification.changed'
  | 'cap.changed'
  | 'agent.created'
  | 'agent.changed'
  | 'agent.started'
  | 'agent.stopped'
  | 'agent.deleted'
  | 'credential.changed'
  | 'token.rotated'

/** What an audited verb needs of its context. */
export interface AuditContext extends Pick<Context, 'requestId'> {
  actor: Actor | ProviderActor
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
  /** A caller without a session has not proven to be the user: a payment proves itself, not who brings it. */
  unproven?: true
}

/**
 * One entry of the audit, as a part of the transaction that makes the change: neither stands without the other. States
 * go in as SHA-256 of their RFC 8785 JSON.
 *
 * An entry takes no place in a chain here, so that audited writes of one user do not meet at one row. A later step can
 * chain them: it reads a user's entries that have no `seq`, in the order of their ids, and gives each the next one with
 * `previous` and `hash`, in a transaction with one head row per user whose condition is the `seq` that it saw. The entry
 * is then its own outbox: what was not chained yet is found again.
 */
export async function audit(
  { actor, requestId }: AuditContext,
  action: AuditAction,
  { userId, target, before, after, unproven }: Change,
): Promise<Write> {
  const entry = {
    at: new Date().toISOString(),
    // A caller without a session registers, signs in or opens a mailed link: they are the user that they prove to be.
    actor: actor.type === 'public' && !unproven ? `user:${userId}` : describeActor(actor),
    action,
    target,
    before: await digest(before),
    after: await digest(after),
    requestId,
  }
  return { put: auditRows.put({ userId, entryId: newSeed() }, entry) }
}

async function digest(state: unknown): Promise<string | null> {
  const text = canonicalize(wellFormed(state))
  return text === undefined ? null : sha256Hex(text)
}

/** RFC 8785 knows no half of a surrogate pair, and the table keeps one as U+FFFD. */
function wellFormed(state: unknown): unknown {
  if (typeof state === 'string') return state.toWellFormed()
  if (Array.isArray(state)) return state.map(wellFormed)
  if (typeof state !== 'object' || state === null) return state
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name.toWellFormed(), wellFormed(value)]),
  )
}
