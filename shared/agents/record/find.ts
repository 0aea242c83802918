import { notFound } from '#shared/platform/errors.ts'
import { idPattern } from '#shared/platform/ids.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, type AgentRef, agentSortKey, ownerOf, toAgent } from './agent.ts'
import { agentRows, locatorRows } from './rows.ts'

/** The form of an agent's id. */
const agentId = new RegExp(`^${idPattern(agentRows.id)}$`)

export interface AgentQuery {
  agentId: string
  /** The owner's id. Undefined searches the whole platform, which is reserved for the platform itself. */
  owner: string | undefined
}

/** Returns an agent of its owner. For other users it does not exist. */
export async function findAgent(
  { table }: { table: Table },
  { agentId: id, owner }: AgentQuery,
): Promise<Agent | undefined> {
  if (!agentId.test(id)) return undefined
  const ref = owner === undefined ? await locateAgent(table, id) : { userId: owner, agentId: id }
  const agent = ref && (await readAgent(table, ref))
  return agent?.deleting ? undefined : agent
}

/** @throws PlatformError 404 */
export async function requireAgent(ctx: { table: Table }, query: AgentQuery): Promise<Agent> {
  const agent = await findAgent(ctx, query)
  if (agent === undefined) throw notFound('Agent')
  return agent
}

/** Returns an agent's owner by its id. Undefined if the agent is deleted. */
export async function locateAgent(table: Table, id: string): Promise<AgentRef | undefined> {
  if (!agentId.test(id)) return undefined
  return toRef(id, await table.get(locatorRows.key({ agentId: id })))
}

/** Returns the owners of several agents, in one request. */
export async function locateAgents(
  table: Table,
  ids: readonly string[],
): Promise<Map<string, AgentRef>> {
  const valid = [...new Set(ids)].filter((id) => agentId.test(id))
  const rows = await table.getMany(valid.map((id) => locatorRows.key({ agentId: id })))
  const found = valid.map((id, i) => toRef(id, rows[i])).filter((ref) => ref !== undefined)
  return new Map(found.map((ref) => [ref.agentId, ref]))
}

function toRef(id: string, row: Item | undefined): AgentRef | undefined {
  return row && { userId: locatorRows.parse(row).userId, agentId: id }
}

/**
 * Returns the row of an agent in any state, for consumers.
 * @param options.consistent strongly consistent; the default
 */
export async function readAgent(
  table: Table,
  ref: AgentRef,
  options?: { consistent: boolean },
): Promise<Agent | undefined> {
  const item = await userStore(table, ownerOf(ref)).get(agentSortKey(ref.agentId), options)
  return item && toAgent(item)
}
