import { type Agent, agentKey, type AgentRef, liveTasks, toAgent } from '../../agents/agent.ts'
import { locateAgents } from '../../agents/find.ts'
import type { Task } from '../../platform/containers/port.ts'
import type { Table } from '../../platform/table/port.ts'

/** A task that no agent's row knows, and whose it says it is. */
export interface Unwanted {
  task: Task
  ref: AgentRef
}

/** Those of tasks that their agents' rows do not want: there is no such row, or it has another task. */
export async function unwantedOf(
  table: Table,
  tasks: readonly (Task & { startedBy: string })[],
): Promise<Unwanted[]> {
  const refs = await locateAgents(
    table,
    tasks.map(({ startedBy }) => startedBy),
  )
  const located = [...refs.values()]
  const items = await table.getMany(located.map(agentKey))
  const agents = new Map(
    located.map(({ agentId }, i) => {
      const item = items[i]
      return [agentId, item && toAgent(item)]
    }),
  )
  return tasks
    .filter((task) => !isWanted(agents.get(task.startedBy), task))
    .map((task) => {
      const { startedBy: agentId } = task
      return { task, ref: refs.get(agentId) ?? { userId: null, agentId } }
    })
}

function isWanted(agent: Agent | undefined, task: Task): boolean {
  if (agent === undefined) return false
  const live = liveTasks(agent)
  if (live.includes(task.arn)) return true
  // Its start did not come to note it; the next message of that start finds it by its token.
  const { deleting, desired, generation } = agent
  return !deleting && desired === 'running' && live.length === 0 && generation === task.generation
}
