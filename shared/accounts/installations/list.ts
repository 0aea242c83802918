import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type InstallationMode, installationRows, installationsPartition } from './rows.ts'

/** contract.md 10: an installation is inactive after this time without a heartbeat. */
const unseenMs = 86_400_000

export interface Installation {
  userId: string
  mode: InstallationMode
  registeredAt: string
  lastSeen: string
  status: 'active' | 'inactive'
}

/**
 * Returns installations, newest first: of all users, or of a trusted caller's user. A page of all installations costs
 * one query of the index, which is eventually consistent, and at most one read before it.
 * @param input.limit the maximum number of installations in the page; 1,000 have less than 0.4 MB
 * @param input.after the user of the last installation of the previous page; the page is empty if the user has no
 * installation
 * @param now epoch milliseconds
 */
export async function listInstallations(
  { table, owner }: Pick<Context<InternalActor>, 'owner' | 'table'>,
  { limit, after }: { limit: number; after?: string | undefined },
  now = Date.now(),
): Promise<Installation[]> {
  const own = (userId: string) => userStore(table, userId).get(installationRows.sk({}))
  if (owner !== undefined) {
    const item = await own(owner)
    return item === undefined ? [] : [viewOf(item, now)]
  }
  const last = after === undefined ? undefined : await own(after)
  if (limit === 0 || (after !== undefined && last === undefined)) return []
  const found: Installation[] = []
  const all = everyItem((from) =>
    table.query({
      index: 'gsi1',
      pk: installationsPartition,
      descending: true,
      limit: limit - found.length,
      ...(last !== undefined && { after: indexKeyOf(last) }),
      ...from,
    }),
  )
  for await (const item of all) {
    found.push(viewOf(item, now))
    if (found.length === limit) break
  }
  return found
}

function indexKeyOf({ pk, sk, gsi1pk, gsi1sk }: Item): Item {
  return { pk, sk, gsi1pk, gsi1sk }
}

function viewOf(item: Item, now: number): Installation {
  const { userId, mode, registeredAt, lastSeen } = installationRows.parse(item)
  const status = now - Date.parse(lastSeen) < unseenMs ? 'active' : 'inactive'
  return { userId, mode, registeredAt, lastSeen, status }
}
