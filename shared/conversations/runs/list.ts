import { requireAgent } from '#shared/agents/record/find.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { startRunId } from '#shared/agents/record/start-run-id.ts'
import { listSplits } from '#shared/network/splits/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { videoRows } from '#shared/tools/videos/rows.ts'
import { videoStatusOf } from '#shared/tools/videos/state/move.ts'
import { activeRuns } from '../scheduled-tasks/runs/active.ts'
import type { RunState, RunView } from './schema.ts'
import { lastTurns, turnRuns } from './turns.ts'

interface RunsQuery {
  agentId?: string | undefined
  state?: RunState | undefined
}

/**
 * Lists a user's current and recent runs, newest first.
 * @throws PlatformError 404 for another user's agent
 */
export async function listRuns(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId, state }: RunsQuery,
): Promise<RunView[]> {
  if (agentId !== undefined) await requireAgent({ table }, { agentId, owner })
  const store = userStore(table, owner)
  const [turns, ...others] = await Promise.all([
    lastTurns(store).then((found) => turnRuns(store, found)),
    taskRuns(store),
    provisioningRuns(table, owner),
    videoRuns(store),
    splitRuns(table, owner),
  ])
  const known = new Set(turns.map(({ id }) => id))
  // After its turn has started, a task's run is listed as the turn.
  return [...turns, ...others.flat().filter(({ id }) => !known.has(id))]
    .filter((run) => agentId === undefined || run.agentId === agentId)
    .filter((run) => state === undefined || isIn(run.state, state))
    .sort((a, b) => (b.startedAt ?? '~').localeCompare(a.startedAt ?? '~'))
}

/** A run that is being cancelled is still active. */
function isIn(state: RunState, filter: RunState): boolean {
  return state === filter || (filter === 'active' && state === 'cancelling')
}

async function taskRuns(store: UserStore): Promise<RunView[]> {
  const runs = await activeRuns(store)
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

/** Returns a run for each starting agent. */
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

/** The states of videos and splits as states of runs. */
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
      state:
        state.step === 'failed' && state.cancelled ? 'cancelled' : states[videoStatusOf(state)],
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
