import type * as z from 'zod'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newestPage, type ListPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { brokerRequestRows } from './rows.ts'

export type BrokerRequest = z.output<ReturnType<(typeof brokerRequestRows)['declared']['schema']>>

/**
 * Lists the uses of an agent's broker credentials, newest first.
 * @throws PlatformError 404
 */
export async function listBrokerRequests(
  { table, owner }: UserContext,
  { agentId, limit, cursor }: PageQuery & { agentId: string },
): Promise<ListPage<BrokerRequest>> {
  await requireAgent({ table }, { agentId, owner })
  const beginsWith = brokerRequestRows.prefix({ agentId })
  const { items, next } = await newestPage(userStore(table, owner), { beginsWith, limit, cursor })
  return { items: items.map(brokerRequestRows.parse), next }
}
