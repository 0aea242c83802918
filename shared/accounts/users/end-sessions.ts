import type { AuditContext } from '#shared/platform/identity/audit.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { disableVoid } from '#shared/signals/outbound-webhooks/void.ts'
import { removeKeys } from './api-key.ts'
import { grantRows } from './grants/rows.ts'
import { nextKeyEpoch, renewAccess } from './renew-access.ts'
import { sessionRows } from './rows.ts'
import { findUser, type User } from './user.ts'

const pageSize = 25

/** A removed webhook for an agent's messages. */
export interface EndedWebhook {
  agentId: string
  /** The origin of the webhook's address, without the path. */
  origin: string
}

export interface EndsAgentWebhooks {
  /** Removes the webhooks for messages of a user's agents: record/config/end-webhooks.ts. */
  endAgentWebhooks: (table: Table, userId: string) => Promise<EndedWebhook[]>
}

/**
 * Ends every session of a user in one transaction, together with the user's reset links and pending email change. A
 * repeated call also ends sessions that began in between.
 */
export async function endSessions(ctx: AuditContext, input: { userId: string }): Promise<void> {
  const user = await findUser(ctx.table, input.userId)
  if (user === undefined) return
  // A failed round means that another caller changed the user, so the rounds end.
  if ((await renewAccess(ctx, { user })) !== 'renewed') return endSessions(ctx, input)
  await removeSessions(ctx.table, user.id, user.accessEpoch + 1)
}

/**
 * Ends all sessions, API keys and message webhooks of a user at the same time, for an account that another person may
 * have used. A repeated call also ends those that were created in between.
 */
export async function endAccess(
  ctx: AuditContext & EndsAgentWebhooks,
  input: { userId: string },
): Promise<void> {
  const user = await findUser(ctx.table, input.userId)
  if (user === undefined) return
  // Called before the renewal too, so that no webhook is left if the process ends right after the renewal.
  await ctx.endAgentWebhooks(ctx.table, user.id)
  if ((await renewAccess(ctx, { user, endKeys: true })) !== 'renewed') return endAccess(ctx, input)
  await removeAccess(ctx, user)
}

/**
 * Removes the keys that `endKeys` revoked, and the webhooks for agents' messages.
 * @param user as read before the renewal
 * @returns the webhooks that were removed here
 */
export async function removeAccess(
  { table, endAgentWebhooks }: Pick<Context, 'table'> & EndsAgentWebhooks,
  user: User,
): Promise<EndedWebhook[]> {
  const [ended] = await Promise.all([
    endAgentWebhooks(table, user.id),
    removeSessions(table, user.id, user.accessEpoch + 1),
    removeKeys(table, user.id, nextKeyEpoch(user)),
    disableVoid({ table }, { userId: user.id, keyEpoch: nextKeyEpoch(user) }),
  ])
  return ended
}

/**
 * Removes the sessions and programs' grants that became void when `accessEpoch` began. If the process ends in
 * between, void rows are left.
 */
export async function removeSessions(
  table: Table,
  userId: string,
  accessEpoch: number,
): Promise<void> {
  const prefixes = [sessionRows, grantRows].map((rows) => rows.prefix())
  await Promise.all(
    prefixes.map((prefix) => removeVoid(userStore(table, userId), prefix, accessEpoch)),
  )
}

async function removeVoid(
  store: UserStore,
  beginsWith: string,
  accessEpoch: number,
): Promise<void> {
  let after
  do {
    const page = await store.query({
      beginsWith,
      limit: pageSize,
      ...(after !== undefined && { after }),
    })
    const old = page.items.filter((row) => !(Number(row.accessEpoch) >= accessEpoch))
    await Promise.all(old.map(({ sk }) => store.delete(sk)))
    after = page.next
  } while (after !== undefined)
}
