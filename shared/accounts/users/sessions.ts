import * as z from 'zod'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { sessionRows } from './rows.ts'

/** An active session: a browser that is signed in, or a program with access. */
export const shownSession = z
  .object({
    id: z.string(),
    createdAt: z.string(),
    lastSeenAt: z.string().describe('Accurate to 15 minutes'),
    userAgent: z.string().nullable().describe('For an OAuth client: its name'),
    address: z.string().nullable().describe('IP address of the sign-in'),
    current: z.boolean(),
  })
  .meta({ id: 'Session' })

export type ShownSession = z.output<typeof shownSession>

/** Returns the caller's browser sessions, newest first. */
export async function browserSessions(
  ctx: Pick<UserContext, 'actor' | 'table'>,
): Promise<ShownSession[]> {
  const { sessionHash, accessEpoch } = ctx.actor.user
  const rows = await sessionItems(ctx)
  return rows
    .map((item) => ({ item, session: sessionRows.parse(item) }))
    .filter(({ session }) => session.accessEpoch === accessEpoch)
    .map(({ item, session: { createdAt, lastSeenAt, userAgent, address } }) => ({
      id: idOf(item),
      createdAt,
      lastSeenAt: lastSeenAt ?? createdAt,
      userAgent: userAgent ?? null,
      address: address ?? null,
      current: hashOf(item) === sessionHash,
    }))
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
}

/**
 * Ends one of the caller's sessions. @returns true if it was the caller's current session
 * @throws PlatformError 404 for a session that is not the caller's
 */
export async function endBrowserSession(
  ctx: Pick<UserContext, 'actor' | 'table'>,
  { id }: { id: string },
): Promise<boolean> {
  const found = (await sessionItems(ctx)).find((item) => idOf(item) === id)
  if (found === undefined) throw notFound('Session')
  await userStore(ctx.table, ctx.actor.user.id).delete(found.sk)
  return hashOf(found) === ctx.actor.user.sessionHash
}

function sessionItems({ table, actor }: Pick<UserContext, 'actor' | 'table'>): Promise<Item[]> {
  const store = userStore(table, actor.user.id)
  return allItems((from) =>
    store.query({ beginsWith: sessionRows.prefix(), consistent: true, ...from }),
  )
}

function hashOf({ sk }: Item): string {
  return sk.slice(sessionRows.prefix().length)
}

/** Sessions from before session ids existed are identified by their token's hash, which grants no access. */
function idOf(item: Item): string {
  return sessionRows.parse(item).id ?? `${sessionRows.id}_${hashOf(item).slice(0, 26)}`
}
