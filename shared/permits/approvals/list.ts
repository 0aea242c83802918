import type { UserContext } from '#shared/platform/identity/context.ts'
import { cursorAt, fromCursor, type ListPage } from '#shared/platform/table/pages.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { approvalRows } from './rows.ts'
import type { ApprovalQuery, ApprovalView } from './schema.ts'
import { viewOf } from './view.ts'

/**
 * Lists approvals of the user, newest first, without their requests.
 * @throws PlatformError 400 for an unknown cursor
 */
export async function listApprovals(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { state, agentId, limit, cursor }: ApprovalQuery,
): Promise<ListPage<ApprovalView>> {
  const store = userStore(table, owner)
  const beginsWith = approvalRows.prefix()
  const values = { ...(state && { state }), ...(agentId && { agentId }) }
  const filter = Object.keys(values)
    .map((name) => `#${name} = :${name}`)
    .join(' AND ')
  const only = filter === '' ? {} : { filter, values }
  let from = fromCursor(store, beginsWith, cursor)
  const items: Item[] = []
  while (items.length <= limit) {
    const page = await store.query({ beginsWith, descending: true, ...only, ...from })
    items.push(...page.items)
    if (page.next === undefined) break
    from = { after: page.next }
  }
  const shown = items.slice(0, limit)
  const last = items.length > limit ? shown.at(-1) : undefined
  return {
    items: shown.map((item) => viewOf(approvalRows.parse(item))),
    next: last && cursorAt(beginsWith, last),
  }
}
