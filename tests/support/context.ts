import type { EndAccessContext } from '../../shared/accounts/end-sessions.ts'
import { endAgentWebhooks } from '../../shared/agents/config/end-webhooks.ts'
import { findUser, toIdentity } from '../../shared/accounts/user.ts'
import type { InternalActor, UserIdentity } from '../../shared/identity/actor.ts'
import type { UserContext } from '../../shared/identity/context.ts'
import { newId, newSeed } from '../../shared/platform/ids.ts'
import { createLog } from '../../shared/platform/log.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import type { Table } from '../../shared/platform/table/port.ts'

/** What a verb is given when this user asks, as a route would make it. */
export async function userContext(
  table: Table,
  userId: string,
  seed = newSeed(),
): Promise<UserContext> {
  const user = await findUser(table, userId)
  if (user === undefined) throw new Error(`no user ${userId}`)
  return contextOf(table, toIdentity(user, []), seed)
}

/** What a verb is given when a caller asks whom the guard knows as this user. */
export function contextOf(table: Table, user: UserIdentity, seed = newSeed()): UserContext {
  return {
    table,
    actor: { type: 'user', user, via: 'session' },
    log: createLog({ function: 'test' }),
    requestId: newId('req'),
    seed,
  }
}

/** What a verb is given when a trusted caller asks, on behalf of a user or of none. */
export function trusted<Services extends object>(
  services: Services,
  userId?: string,
  seed = newSeed(),
): Services & { actor: InternalActor; requestId: string; seed: string } {
  const unknown = { email: undefined, role: undefined, profile: undefined }
  const actor: InternalActor = { type: 'internal', userId, ...unknown }
  return { ...services, actor, requestId: newId('req'), seed }
}

/** What a verb is given when a provider's event asks. */
export function eventContext(table: Table): EndAccessContext {
  return { table, endAgentWebhooks, actor: { type: 'provider' }, requestId: newId('req') }
}

/** Queues that lose what is sent, for what a test does itself. */
export const lostQueues: Queues = { send: async () => {}, sendAll: async () => {} }
