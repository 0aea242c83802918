import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type Entitlement, entitlementRows, type SentNotifications, usersDue } from './rows.ts'

const key = entitlementRows.sk({})

type Access = NonNullable<Entitlement['seen']>['access']

/** Returns a user's entitlement row, if it exists. */
export async function findEntitlement(
  table: Table,
  userId: string,
): Promise<Entitlement | undefined> {
  const item = await userStore(table, userId).get(key)
  return item && entitlementRows.parse(item)
}

/** Stores a user's paid access if it has changed. */
export async function storeAccess(
  table: Table,
  { userId, access }: { userId: string; access: Access },
  now: number,
): Promise<Entitlement> {
  let stored: Entitlement = { userId, asked: 0, revision: 0 }
  await changeItem(userStore(table, userId).row(key), (item) => {
    const current = item && entitlementRows.parse(item)
    if (current?.seen?.access === access) {
      stored = current
      return undefined
    }
    const { asked = 0, revision = 0, seen: before, told: sentBefore } = current ?? {}
    const since = isoOf(now)
    const isNews = access === 'late' || (access === 'over' && isPaidFor(before?.access))
    const notifications: SentNotifications = isNews
      ? { ...sentBefore }
      : { ...sentBefore, access: since }
    const changed = { userId, seen: { access, since }, told: notifications }
    stored = { ...changed, asked, revision: revision + 1 }
    return {
      update: {
        set: changed,
        add: { asked: 0, revision: 1 },
        if:
          item?.revision === undefined
            ? 'attribute_not_exists(#revision)'
            : '#revision = :revision',
        ...(item?.revision !== undefined && { values: { revision } }),
      },
    }
  })
  return stored
}

/** No mail is sent when access that was not paid for ends. */
function isPaidFor(access: Access | undefined): boolean {
  return access === 'open' || access === 'late'
}

/**
 * Stores the notifications of a user and the next due time; null for none. If another change was requested or stored
 * since `seen`, the user is due immediately.
 * @param at epoch milliseconds
 */
export async function recordProcessed(
  table: Table,
  { seen, told, at }: { seen: Entitlement; told: SentNotifications; at: number | null },
  now: number,
): Promise<void> {
  const { userId } = seen
  await changeItem(userStore(table, userId).row(key), (item) => {
    if (item === undefined) return undefined
    const { asked, revision, told: before = {} } = entitlementRows.parse(item)
    const isLast = asked === seen.asked && revision === seen.revision
    const due = isLast ? at : now
    const place = due === null ? undefined : usersDue.at(userId, due)
    const newest = newestOf(before, told)
    if (isLast && item.gsi1sk === place?.gsi1sk && isSame(before, newest)) return undefined
    return {
      update: {
        set: { told: newest, ...place },
        add: { revision: 1 },
        ...(place === undefined && { remove: ['gsi1pk', 'gsi1sk'] }),
        if: '#revision = :revision AND #asked = :asked',
        values: { revision, asked },
      },
    }
  })
}

const kinds = ['access', 'lapsed', 'resumed', 'deletion'] as const

function newestOf(one: SentNotifications, other: SentNotifications): SentNotifications {
  const newest: SentNotifications = {}
  for (const kind of kinds) {
    const at = [one[kind], other[kind]]
      .filter((time) => time !== undefined)
      .toSorted()
      .at(-1)
    if (at !== undefined) newest[kind] = at
  }
  return newest
}

function isSame(one: SentNotifications, other: SentNotifications): boolean {
  return kinds.every((kind) => one[kind] === other[kind])
}
