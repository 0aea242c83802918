import { ownerOf } from '#shared/agents/record/agent.ts'
import type { ListPastEffects } from '#shared/permits/policy/replay.ts'
import { allItems, newestPage } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { connectionRequestRows, connectionRows } from '../rows.ts'
import { toolEffect } from './effect.ts'

/** Lists an agent's latest calls of tools. A tool counts as read-only if its connection lists it as read-only now. */
export const pastToolCalls: ListPastEffects = async ({ table }, { agent, since, limit }) => {
  const store = userStore(table, ownerOf(agent))
  const connections = await allItems((from) =>
    store.query({ beginsWith: connectionRows.prefix({ agentId: agent.id }), ...from }),
  )
  const readOnly = new Map(
    connections.map(connectionRows.parse).map((one) => [one.name, one.readOnly]),
  )
  const beginsWith = connectionRequestRows.prefix({ agentId: agent.id })
  const { items } = await newestPage(store, { beginsWith, limit })
  return items.flatMap((item) => {
    const { at, connection, tool } = connectionRequestRows.parse(item)
    const time = Date.parse(at)
    if (tool === null || time < since) return []
    const effect = toolEffect({ name: connection, readOnly: readOnly.get(connection) ?? [] }, tool)
    return [{ at: time, effect }]
  })
}
