import { disableVoid } from '../outbound-webhooks/void.ts'
import type { Table } from '../platform/table/port.ts'
import { type UserStore, userStore } from '../platform/table/user-store.ts'
import { removeKeys } from './api-key.ts'
import { type AccessContext, nextKeyEpoch, renewAccess } from './renew-access.ts'
import { grantRows } from './grants/rows.ts'
import { sessionRows } from './rows.ts'
import { findUser, type User } from './user.ts'

const pageSize = 25

/**
 * Ends every session of a user, all of them in one moment, and with them their reset links and an email change under
 * way. Repeating it ends what began in between.
 */
export async function endSessions(ctx: AccessContext, input: { userId: string }): Promise<void> {
  const user = await findUser(ctx.table, input.userId)
  if (user === undefined) return
  // Each round that finds the user changed is one in which another caller got ahead, so there is a last one.
  if ((await renewAccess(ctx, { user })) !== 'renewed') return endSessions(ctx, input)
  await removeSessions(ctx.table, user.id, user.accessEpoch + 1)
}

/**
 * Ends every session and every API key of a user, all of them in one moment: for an account that another person may
 * have been in. Repeating it ends what began in between.
 */
export async function endAccess(ctx: AccessContext, input: { userId: string }): Promise<void> {
  const user = await findUser(ctx.table, input.userId)
  if (user === undefined) return
  if ((await renewAccess(ctx, { user, endKeys: true })) !== 'renewed') return endAccess(ctx, input)
  await removeAccess(ctx.table, user)
}

/** Removes what `endKeys` made void. @param user as they were before it */
export async function removeAccess(table: Table, user: User): Promise<void> {
  await Promise.all([
    removeSessions(table, user.id, user.accessEpoch + 1),
    removeKeys(table, user.id, nextKeyEpoch(user)),
    disableVoid({ table }, { userId: user.id, keyEpoch: nextKeyEpoch(user) }),
  ])
}

/** Removes the sessions and the programs' grants that are void since `accessEpoch` began. A process that ends in between leaves void rows. */
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
