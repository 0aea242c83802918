import { profileKey, toUser, type User } from '#shared/accounts/users/user.ts'
import {
  type Agent,
  agentKey,
  type AgentRef,
  ownerOf,
  toAgent,
} from '#shared/agents/record/agent.ts'
import { locateAgents } from '#shared/agents/record/find.ts'
import { agentWalletRows, type Wallet } from '#shared/money/wallets/rows.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'

/**
 * The parties of a message. Undefined for an agent that does not exist, and for the owner of an agent of the platform.
 */
export interface Parties {
  sender: Agent | undefined
  /** The sender's owner. */
  owner: User | undefined
  recipient: Agent | undefined
  /** The sender's own wallet, if it has one. */
  wallet: Wallet | undefined
}

/** A cache of the owners of agents. An owner never changes, and for a deleted agent the following read finds no row. */
const owners = new WeakMap<Table, Map<string, AgentRef>>()

/** The limit of the cache: a few megabytes. */
const maxKnown = 10_000

/**
 * Reads the current rows of both agents, of the sender's owner and of its wallet: two table requests, or one request if
 * the cache contains the agents.
 */
export async function readParties(
  table: Table,
  { from, to }: { from: string; to: string },
): Promise<Parties> {
  const refs = await locate(table, [from, to])
  const sender = refs.get(from)
  const agents = [...refs.values()]
  const [ownerRow, walletRow, ...rows] = await table.getMany([
    { pk: userPartition(ownerOf(sender ?? { userId: null })), sk: profileKey },
    agentWalletRows.key({ agentId: from }),
    ...agents.map((ref) => agentKey(ref)),
  ])
  const agentOf = (id: string) => present(rows[agents.findIndex(({ agentId }) => agentId === id)])
  return {
    sender: agentOf(from),
    recipient: agentOf(to),
    owner: ownerRow && toUser(ownerRow),
    wallet: walletRow && agentWalletRows.parse(walletRow),
  }
}

async function locate(table: Table, ids: readonly string[]): Promise<Map<string, AgentRef>> {
  const known = owners.get(table) ?? new Map<string, AgentRef>()
  if (known.size > maxKnown) known.clear()
  owners.set(table, known)
  const refs = new Map<string, AgentRef>()
  for (const id of ids) {
    const ref = known.get(id)
    if (ref !== undefined) refs.set(id, ref)
  }
  const unknown = ids.filter((id) => !refs.has(id))
  if (unknown.length === 0) return refs
  for (const [id, ref] of await locateAgents(table, unknown)) {
    refs.set(id, ref)
    known.set(id, ref)
  }
  return refs
}

function present(row: Item | undefined): Agent | undefined {
  const agent = row && toAgent(row)
  return agent?.deleting ? undefined : agent
}
