import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, agentSortKey, ownerOf, toAgent } from '../record/agent.ts'
import { emptyWorkspace, type WorkspaceState } from '../record/workspace-state.ts'

/** One change of an agent's memory or skills. */
export interface WorkspaceChange {
  /** The rows of the new revision, without conditions; at most 98. */
  rows: readonly Write[]
  /** The owner's installs, on condition that they have not changed since the plan read them. */
  installs?: Write
  /** Changes of the agent's row besides the revision. */
  state?: Partial<WorkspaceState>
}

export type WorkspacePlan = (
  next: WorkspaceState,
  current: Agent,
) => Promise<WorkspaceChange | undefined>

/**
 * Changes an agent's workspace in the table. One transaction writes the rows and the agent's new revision, so that an
 * outdated container is recognised even after a crash. Nothing is written for an agent that is deleted in the meantime.
 * @param input.agent as last read; may be outdated
 * @param input.plan called again if another write was first; returns undefined for no change
 * @returns the current agent
 * @throws PlatformError 404 if the agent is deleted; the errors of the plan
 */
export async function changeWorkspace(
  { table }: Pick<Context, 'table'>,
  { agent, plan }: { agent: Agent; plan: WorkspacePlan },
): Promise<Agent> {
  const row = userStore(table, ownerOf(agent)).row(agentSortKey(agent.id))
  let after = agent
  await changeItem(
    row,
    async (item) => {
      if (item === undefined || item.deleting === true) throw notFound('Agent')
      const current = toAgent(item)
      const before = current.workspace ?? emptyWorkspace
      const next = { ...before, revision: before.revision + 1 }
      const change = await plan(next, current)
      after = current
      if (change === undefined) return undefined
      const workspace = { ...next, ...change.state }
      after = { ...current, workspace, revision: current.revision + 1 }
      return {
        update: {
          set: { workspace, revision: after.revision },
          if: '#revision = :revision AND attribute_not_exists(#deleting)',
          values: { revision: current.revision },
        },
        also: { ...numbered('row', change.rows), installs: change.installs },
      }
    },
    { first: { ...agent, ...row.key }, again: ['installs'] },
  )
  return after
}
