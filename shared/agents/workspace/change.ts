import { notFound } from '../../platform/errors.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { type Item, type Table, TransactionFailed, type Write } from '../../platform/table/port.ts'
import { type Agent, agentKey, toAgent } from '../agent.ts'
import { readAgent } from '../find.ts'
import { emptyWorkspace, type WorkspaceState } from './state.ts'

/** One change of an agent's memory or skills. */
export interface WorkspaceChange {
  /** The rows of the new revision; at most 99. */
  writes: readonly Write[]
  /** What changes in the agent's row beside the revision. */
  state?: Partial<WorkspaceState>
}

/**
 * Changes what the table holds for an agent's workspace. The rows and the agent's new revision are one transaction, so
 * that a container which lacks them is known to lack them, whatever happens afterwards; and nothing is written for an
 * agent that is deleted meanwhile.
 * @param plan is asked again where anybody else was faster; undefined where nothing is to be changed
 * @returns the agent as it is then
 * @throws PlatformError 404 where the agent is gone, and what the plan throws
 */
export async function changeWorkspace(
  table: Table,
  agent: Agent,
  plan: (next: WorkspaceState, current: Agent) => Promise<WorkspaceChange | undefined>,
): Promise<Agent> {
  let current = agent
  for (;;) {
    const before = current.workspace ?? emptyWorkspace
    const next = { ...before, revision: before.revision + 1 }
    const change = await plan(next, current)
    if (change === undefined) return current
    const workspace = { ...next, ...change.state }
    const update = agentWrite(current, workspace)
    try {
      await withoutConflicts(() => table.transact([update, ...change.writes]))
      return { ...current, workspace, revision: current.revision + 1 }
    } catch (error) {
      current = await overtaken(table, current, error)
    }
  }
}

function agentWrite({ userId, id, revision }: Agent, workspace: WorkspaceState): Write {
  return {
    update: agentKey({ userId, agentId: id }),
    set: { workspace, revision: revision + 1 },
    if: '#revision = :revision AND attribute_not_exists(#deleting)',
    values: { revision },
  }
}

/** The agent as somebody else left it; errors that no repetition mends go on. */
async function overtaken(table: Table, agent: Agent, error: unknown): Promise<Agent> {
  if (!(error instanceof TransactionFailed)) throw error
  if (!error.reasons.some((reason) => reason?.code === 'ConditionalCheckFailed')) throw error
  const item: Item | undefined = error.refused(0) ? error.reasons[0]?.item : undefined
  const current = item ? toAgent(item) : await readAgent(table, { ...agent, agentId: agent.id })
  if (current === undefined || current.deleting) throw notFound('Agent')
  return current
}
