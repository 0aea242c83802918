import { expect } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { eventsOf } from '../ai/gateway.ts'
import { eventually } from '../clock/eventually.ts'
import { sharedTable, stack } from './platform.ts'
import { processesOf } from './processes.ts'

interface Holding {
  userId: string
  /** The user's only agent, which has answered one turn. */
  agentId: string
}

/**
 * Returns all rows and processes of a user except what the platform writes on its own schedule: checks of a running
 * agent, the hourly publishing of audit heads, and the daily restore point.
 */
export async function belongingsOf({ userId, agentId }: Holding): Promise<unknown> {
  const { items } = await sharedTable().query({ pk: userPartition(userId) })
  const asked = items.filter(({ sk, kind }) => !(sk.startsWith('snapshot#') && kind === 'daily'))
  // A running container stores its files every minute, and the daily restore point pins them.
  const rows = asked
    .filter(({ sk }) => !/^files(-pin)?#/.test(sk) && sk !== 'storage')
    .map(({ watchdog: _watchdog, workspace: _workspace, revision: _, updatedAt: _at, ...row }) =>
      row.sk === 'audit-head' ? Object.assign(row, { gsi1sk: undefined }) : row,
    )
  return { rows, pids: processesOf(stack().dataDir, agentId).map(({ pid }) => pid) }
}

/** Waits until a new agent's start and first turn have no more effects: the usage event follows the answer. */
export async function untilNothingFollows({ userId, agentId }: Holding): Promise<void> {
  await eventually(async () => {
    expect(await eventsOf(sharedTable(), userId)).toHaveLength(1)
    const row = await sharedTable().get(agentKey({ userId, agentId }))
    expect(row).toMatchObject({ taskHealth: 'HEALTHY' })
  })
}
