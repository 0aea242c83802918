import { ownerOf } from '#shared/agents/record/agent.ts'
import { unknownPath } from '#shared/permits/policy/readings.ts'
import type { ListPastEffects } from '#shared/permits/policy/replay.ts'
import { newestPage } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { brokerRequestRows } from './rows.ts'

/** Lists an agent's latest requests with broker credentials. Their paths are not recorded. */
export const pastBrokerRequests: ListPastEffects = async ({ table }, { agent, since, limit }) => {
  const beginsWith = brokerRequestRows.prefix({ agentId: agent.id })
  const { items } = await newestPage(userStore(table, ownerOf(agent)), { beginsWith, limit })
  return items.flatMap((item) => {
    const { at, name, method, host } = brokerRequestRows.parse(item)
    const target = { name, method, host, path: unknownPath }
    const time = Date.parse(at)
    return time < since ? [] : [{ at: time, effect: { action: 'broker.request' as const, target } }]
  })
}
