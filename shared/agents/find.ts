import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Agent, type AgentRef, agentSortKey, locatorKey, ownerOf, toAgent } from './agent.ts'

/** Whatever else is asked for is nobody's agent. */
const agentId = /^agt_[0-9a-z]{26}$/

/**
 * An agent as its owner sees it. One of somebody else's does not exist.
 * @param owner the user id to look for; undefined looks through the whole platform, which only the platform may
 */
export async function findAgent(
  table: Table,
  id: string,
  owner: string | undefined,
): Promise<Agent | undefined> {
  if (!agentId.test(id)) return undefined
  const ref = owner === undefined ? await locateAgent(table, id) : { userId: owner, agentId: id }
  const agent = ref && (await readAgent(table, ref))
  return agent?.deleting ? undefined : agent
}

/** @throws PlatformError 404 */
export async function requireAgent(
  table: Table,
  id: string,
  owner: string | undefined,
): Promise<Agent> {
  const agent = await findAgent(table, id, owner)
  if (agent === undefined) throw notFound('Agent')
  return agent
}

/** Whose an agent is, for those who have only its id; undefined once it is deleted. */
export async function locateAgent(table: Table, id: string): Promise<AgentRef | undefined> {
  if (!agentId.test(id)) return undefined
  const row = await table.get(locatorKey(id))
  return row && { userId: row.userId as string | null, agentId: id }
}

/** The row itself, whatever state it is in: for consumers. */
export async function readAgent(table: Table, ref: AgentRef): Promise<Agent | undefined> {
  const item = await userStore(table, ownerOf(ref)).get(agentSortKey(ref.agentId))
  return item && toAgent(item)
}
