import { readAgent } from '#shared/agents/record/find.ts'
import { mapAllAgents } from '#shared/agents/record/list.ts'
import { dayOf } from '#shared/platform/days.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { snapshotRows } from './rows.ts'
import { seedOf, type SnapshotContext, storeSnapshot } from './store-snapshot.ts'
import { type DailyMessage, restorePoints } from './topic.ts'

/** The number of agents that are checked together. */
const batchSize = 500

/** Returns the id of an agent's daily restore point. One id per day prevents duplicates. */
async function dailyId(agentId: string, date: string): Promise<string> {
  return newId(snapshotRows.id, await seedOf(`${agentId} ${date}`, Date.parse(date)))
}

/**
 * Requests the day's restore point of each user's agent that has none yet.
 * @returns the number of requests
 */
export async function askForDaily(
  { table, queues }: { table: Table; queues: Queues<'restore-points'> },
  now = Date.now(),
): Promise<{ asked: number }> {
  const date = dayOf(now)
  const agents = await mapAllAgents({ table }, ({ id, userId }) => ({ id, userId }))
  let requested = 0
  for (let i = 0; i < agents.length; i += batchSize) {
    const some = agents
      .slice(i, i + batchSize)
      .flatMap(({ id: agentId, userId }) => (userId === null ? [] : [{ userId, agentId }]))
    const keys = some.map(async ({ userId, agentId }) =>
      snapshotRows.key({ userId, agentId, snapshotId: await dailyId(agentId, date) }),
    )
    const rows = await table.getMany(await Promise.all(keys))
    const lacking = some.filter((_, index) => {
      const row = rows[index]
      return row === undefined || snapshotRows.parse(row).bytes === undefined
    })
    await queues.sendAll(
      restorePoints,
      lacking.map((ref) => ({ kind: 'daily' as const, ...ref, date })),
    )
    requested += lacking.length
  }
  return { asked: requested }
}

/**
 * Creates an agent's daily restore point. Does nothing if the agent is deleted in the meantime, because the deletion
 * creates a restore point.
 */
export async function createDaily(
  ctx: SnapshotContext,
  { userId, agentId, date }: DailyMessage,
): Promise<void> {
  const agent = await readAgent(ctx.table, { userId, agentId })
  if (agent === undefined || agent.deleting) return
  await storeSnapshot(ctx, { agent, id: await dailyId(agentId, date), kind: 'daily' })
}
