import type * as z from 'zod'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newestPage, type ListPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { connectionRequestRows } from './rows.ts'

export type ConnectionRequest = z.output<
  ReturnType<(typeof connectionRequestRows)['declared']['schema']>
>

/** Lists the requests over an agent's connections, newest first. @throws PlatformError 404 */
export async function listConnectionRequests(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId, limit, cursor }: PageQuery & { agentId: string },
): Promise<ListPage<ConnectionRequest>> {
  await requireAgent({ table }, { agentId, owner })
  const beginsWith = connectionRequestRows.prefix({ agentId })
  const { items, next } = await newestPage(userStore(table, owner), { beginsWith, limit, cursor })
  return { items: items.map(connectionRequestRows.parse), next }
}
