import { requireAgent } from '../agents/find.ts'
import { listAgents } from '../agents/list.ts'
import { startRunId } from '../agents/start-run-id.ts'
import type { UserContext } from '../identity/context.ts'
import type { Table } from '../platform/table/port.ts'
import { type UserStore, userStore } from '../platform/table/user-store.ts'
import { runsUnderWay } from '../scheduled-tasks/runs/under-way.ts'
import { listSplits } from '../splits/find.ts'
import { videoRows } from '../videos/rows.ts'
import { statusOf } from '../videos/state/move.ts'
import type { RunState, RunView } from './schema.ts'
import { lastTurns, turnRuns } from './turns.ts'

interface RunsQuery {
  agentId?: string | undefined
  state?: RunState | undefined
}

/**
 * What goes on for a user and what went on lately, newest first.
 * @throws PlatformError 404 for an agent that is not theirs
 */
export async function listRuns(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { agentId, state }: RunsQuery,
): Promise<RunView[]> {
  const userId = actor.user.id
  if (agentId !== undefined) await requireAgent({ table }, { agentId, owner: userId })
  const store = userStore(table, userId)
  const [turns, ...others] = await Promise.all([
    lastTurns(store).then((found) => turnRuns(store, found)),
    taskRuns(store),
    provisioningRuns(table, userId),
    videoRuns(store),
    splitRuns(table, userId),
  ])
  const known = new Set(turns.map(({ id }) => id))
  // A run of a task whose turn has begun is shown by its turn.
  return [...turns, ...others.flat().filter(({ id }) => !known.has(id))]
    .filter((run) => agentId === undefined || run.agentId === agentId)
    .filter((run) => state === undefined || isIn(run.state, state))
    .sort((a, b) => (b.startedAt ?? '~').localeCompare(a.startedAt ?? '~'))
}

/** What is being cancelled goes on. */
function isIn(state: RunState, asked: RunState): boolean {
  return state === asked || (asked === 'active' && state === 'cancelling')
}

async function taskRuns(store: UserStore): Promise<RunView[]> {
  const runs = await runsUnderWay(store)
  return runs.map(({ id, agentId, state, startedAt, by }) => ({
    id,
    kind: 'task',
    agentId,
    state: state === 'waiting' ? 'queued' : 'active',
    startedAt,
    by,
    tokens: null,
    costUsd: null,
  }))
}

/** An agent that is on its way, by the start that it is at. */
async function provisioningRuns(table: Table, userId: string): Promise<RunView[]> {
  const agents = await listAgents({ table }, { userId })
  return agents
    .filter(({ status }) => status === 'provisioning')
    .map(({ id, generation, updatedAt }) => ({
      id: startRunId({ agentId: id, generation }),
      kind: 'provisioning',
      agentId: id,
      state: 'active',
      startedAt: updatedAt,
      by: null,
      tokens: null,
      costUsd: null,
    }))
}

/** What videos and splits say of themselves. */
const states = {
  queued: 'queued',
  processing: 'active',
  completed: 'finished',
  failed: 'failed',
} as const

async function videoRuns(store: UserStore): Promise<RunView[]> {
  const beginsWith = videoRows.prefix()
  const { items } = await store.query({ beginsWith, descending: true, limit: 50 })
  return items.map((item) => {
    const { id, state, createdAt } = videoRows.parse(item)
    return {
      id,
      kind: 'video',
      agentId: null,
      state: state.step === 'failed' && state.cancelled ? 'cancelled' : states[statusOf(state)],
      startedAt: createdAt,
      by: `user:${store.userId}`,
      tokens: null,
      costUsd: null,
    }
  })
}

async function splitRuns(table: Table, userId: string): Promise<RunView[]> {
  const splits = await listSplits({ table }, { userId })
  return splits.map(({ splitId, status, createdAt }) => ({
    id: `split_${splitId}`,
    kind: 'split',
    agentId: null,
    state: states[status],
    startedAt: createdAt,
    by: `user:${userId}`,
    tokens: null,
    costUsd: null,
  }))
}
