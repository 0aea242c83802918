import {
  ConditionFailed,
  type Table,
  TransactionFailed,
  type Update,
} from '../platform/table/port.ts'
import { type Agent, agentKey, aiKeyKey, subdomainItem, toAgent } from './agent.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'

/**
 * Changes an agent by a pure decision: the row is written only as the decision saw it, and whoever was overtaken
 * decides again on what is there now. Returning `current` itself changes nothing. The agent's AI key is good exactly
 * while its hash is in the row: both are written together.
 *
 * @param agent the row as last read; it need not be fresh
 * @returns the agent as it is then, undefined where it is gone
 */
export async function changeAgent(
  table: Table,
  agent: Agent,
  decide: (current: Agent) => Agent,
  now = Date.now(),
): Promise<Agent | undefined> {
  let current: Agent | undefined = agent
  while (current !== undefined) {
    const decided = decide(current)
    if (decided === current) return current
    const next = stamp(current, decided, now)
    const before: Agent = current
    const outcome: WriteOutcome = await withoutConflicts(() => write(table, before, next))
    if (outcome === 'written') return next
    current = outcome
  }
  return undefined
}

/** The platform's own notes: no change of the agent that anyone waits for. */
const notes = new Set(['watchdog', 'workspace', 'lastActiveAt', 'busyUntil'])

function stamp(before: Agent, next: Agent, now: number): Agent {
  const changed = Object.keys(differences(before, next)).some((name) => !notes.has(name))
  const updatedAt = changed ? new Date(now).toISOString() : before.updatedAt
  const located = next.deleting ? before.located : true
  return { ...next, located, updatedAt, revision: before.revision + 1 }
}

/** Otherwise what is there instead, if anything. */
type WriteOutcome = 'written' | Agent | undefined

async function write(table: Table, before: Agent, next: Agent): Promise<WriteOutcome> {
  const key = agentKey({ userId: before.userId, agentId: before.id })
  const update = toUpdate(before, next)
  const others = [...keyWrites(before, next), ...locatorWrites(before, next)]
  try {
    if (others.length === 0) await table.update(key, update)
    else await table.transact([{ update: key, ...update }, ...others])
    return 'written'
  } catch (error) {
    if (error instanceof ConditionFailed) return error.item && toAgent(error.item)
    if (!(error instanceof TransactionFailed && error.refused(0))) throw error
    const item = error.reasons[0]?.item
    return item && toAgent(item)
  }
}

function toUpdate(before: Agent, next: Agent): Update {
  const changes = Object.entries(differences(before, next))
  return {
    set: Object.fromEntries(changes.filter(([, value]) => value !== undefined)),
    remove: changes.filter(([, value]) => value === undefined).map(([name]) => name),
    if: '#revision = :revision',
    values: { revision: before.revision },
  }
}

function differences(before: Agent, next: Agent): Partial<Agent> {
  const names = new Set([...Object.keys(before), ...Object.keys(next)]) as Set<keyof Agent>
  return Object.fromEntries(
    [...names].filter((name) => before[name] !== next[name]).map((name) => [name, next[name]]),
  )
}

/** An agent that was made before hosts were looked up by a row of their own gets that row. */
function locatorWrites(before: Agent, next: Agent) {
  return before.located === next.located ? [] : [{ put: subdomainItem(next) }]
}

function keyWrites(before: Agent, next: Agent) {
  const { id: agentId, userId, generation } = next
  if (before.aiKeyHash === next.aiKeyHash) return []
  return [
    ...(before.aiKeyHash === undefined ? [] : [{ delete: aiKeyKey(before.aiKeyHash) }]),
    ...(next.aiKeyHash === undefined
      ? []
      : [{ put: { ...aiKeyKey(next.aiKeyHash), agentId, userId, generation } }]),
  ]
}
