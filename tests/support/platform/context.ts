import type { EndsAgentWebhooks } from '#shared/accounts/users/end-sessions.ts'
import { findUser, toIdentity } from '#shared/accounts/users/user.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import type { InternalActor, UserIdentity } from '#shared/platform/identity/actor.ts'
import type { AuditContext } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'

/** Returns the context of a verb for this user, as a route creates it. */
export async function userContext(
  table: Table,
  userId: string,
  seed = newSeed(),
): Promise<UserContext> {
  const user = await findUser(table, userId)
  if (user === undefined) throw new Error(`no user ${userId}`)
  return contextOf(table, toIdentity(user, []), seed)
}

/** Returns the context of a verb for a caller that the guard has identified as this user. */
export function contextOf(table: Table, user: UserIdentity, seed = newSeed()): UserContext {
  return {
    table,
    actor: { type: 'user', user, via: 'session' },
    owner: user.id,
    log: createLog({ function: 'test' }),
    requestId: newId('req'),
    seed,
  }
}

/** Returns the context of a verb for a trusted caller, with or without a user. */
export function trusted<Services extends object>(
  services: Services,
  userId?: string,
  seed = newSeed(),
): Services & { actor: InternalActor; owner: string | undefined; requestId: string; seed: string } {
  const unknown = { email: undefined, role: undefined, profile: undefined }
  const actor: InternalActor = { type: 'internal', userId, ...unknown }
  return { ...services, actor, owner: userId, requestId: newId('req'), seed }
}

/** Returns the context of a verb for a provider's event. */
export function eventContext(table: Table): AuditContext & EndsAgentWebhooks {
  return { table, endAgentWebhooks, actor: { type: 'provider' }, requestId: newId('req') }
}

/** Queues that drop every message, for tests that do the consumer's work themselves. */
export const lostQueues: Queues = { send: async () => {}, sendAll: async () => {} }
