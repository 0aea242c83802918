import {
  type Agent,
  agentKey,
  type AgentRef,
  liveTasks,
  toAgent,
} from '#shared/agents/record/agent.ts'
import { locateAgents } from '#shared/agents/record/find.ts'
import type { Task } from '#shared/platform/containers/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { warmIdOf } from '../warm-pool/observe.ts'
import { warmRows } from '../warm-pool/rows.ts'

/** A task without a row, and the agent that its tags name. */
export interface OrphanTask {
  task: Task
  ref: AgentRef
}

type Started = Task & { startedBy: string }

/**
 * Returns the tasks without a row: of deleted agents, of agents with another task, and of the pool without a container
 * row.
 */
export async function orphanOf(table: Table, tasks: readonly Started[]): Promise<OrphanTask[]> {
  const pooled = await poolTasks(table, tasks)
  const ofAgents = tasks.flatMap(
    (task) => pooled.agents.get(task.arn) ?? (warmIdOf(task) ? [] : task),
  )
  return [...pooled.unwanted, ...(await unwantedOfAgents(table, ofAgents))]
}

/** Returns the tasks of the warm pool: those that were assigned to an agent, and those without a row. */
async function poolTasks(table: Table, tasks: readonly Started[]) {
  const ofPool = tasks.filter(warmIdOf)
  const rows = await table.getMany(ofPool.map(({ startedBy: id }) => warmRows.key({ id })))
  const agents = new Map<string, Started>()
  const unwanted: OrphanTask[] = []
  for (const [i, task] of ofPool.entries()) {
    const row = rows[i] && warmRows.parse(rows[i])
    if (row === undefined) unwanted.push({ task, ref: { userId: null, agentId: task.startedBy } })
    else if (row.agent !== undefined)
      agents.set(task.arn, {
        ...task,
        startedBy: row.agent.agentId,
        generation: row.agent.generation,
      })
  }
  return { agents, unwanted }
}

async function unwantedOfAgents(table: Table, tasks: readonly Started[]): Promise<OrphanTask[]> {
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
  // The start has not recorded its task yet. The next message of that start finds the task by its token.
  const { deleting, desired, generation } = agent
  return !deleting && desired === 'running' && live.length === 0 && generation === task.generation
}
