import type { UserContext } from '#shared/platform/identity/context.ts'
import { cursorAt, fromCursor, type ListPage, newestPage } from '#shared/platform/table/pages.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { approvalRows } from './rows.ts'
import type { ApprovalQuery, ApprovalView } from './schema.ts'
import { viewOf } from './view.ts'

/** The requests to the table for one filtered page. Each reads up to 1 MB of approvals, whether they match or not. */
const maxReads = 4

/**
 * Lists approvals of the user, newest first, without their requests. A filtered page can have fewer approvals than
 * `limit`, or none, although another page follows.
 * @throws PlatformError 400 for an unknown cursor
 */
export async function listApprovals(
  ctx: Pick<UserContext, 'table' | 'owner'>,
  { state, agentId, limit, cursor }: ApprovalQuery,
): Promise<ListPage<ApprovalView>> {
  const store = userStore(ctx.table, ctx.owner)
  const beginsWith = approvalRows.prefix()
  const values = { ...(state && { state }), ...(agentId && { agentId }) }
  const { items, next } =
    Object.keys(values).length === 0
      ? await newestPage(store, { beginsWith, limit, cursor })
      : await matchingPage(store, { values, beginsWith, limit, cursor })
  return { items: items.map((item) => viewOf(approvalRows.parse(item))), next }
}

async function matchingPage(
  store: ReturnType<typeof userStore>,
  {
    values,
    beginsWith,
    limit,
    cursor,
  }: Pick<ApprovalQuery, 'limit' | 'cursor'> & {
    values: Record<string, string>
    beginsWith: string
  },
): Promise<ListPage<Item>> {
  if (limit === 0) return { items: [], next: undefined }
  const filter = Object.keys(values)
    .map((name) => `#${name} = :${name}`)
    .join(' AND ')
  let from = fromCursor(store, beginsWith, cursor)
  const items: Item[] = []
  for (let reads = 0; reads < maxReads && items.length <= limit; reads++) {
    const page = await store.query({ beginsWith, descending: true, filter, values, ...from })
    items.push(...page.items)
    if (page.next === undefined) {
      from = {}
      break
    }
    from = { after: page.next }
  }
  const shown = items.slice(0, limit)
  const last = items.length > limit ? shown.at(-1) : from.after
  return { items: shown, next: last && cursorAt(beginsWith, last) }
}
