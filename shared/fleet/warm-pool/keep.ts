import { familyOf, planSizes } from '../../manifest/containers.ts'
import type { Settings } from '../../platform/config/settings.ts'
import {
  CapacityUnavailable,
  type Containers,
  type RunRequest,
  SpotUnavailable,
} from '../../platform/containers/port.ts'
import { notConfigured } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Table } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { madeBy, type Making } from './made-by.ts'
import { isSilent } from './ready.ts'
import { poolPartition, type PoolSizes, type WarmContainer, warmRows } from './rows.ts'
import { warmToken } from './token.ts'
import { waitingContainers } from './waiting.ts'

export interface WarmPoolContext {
  table: Table
  containers: Pick<Containers, 'run' | 'stop'>
  log: Log
  config: Pick<
    Settings,
    'AGENT_IMAGE' | 'BACKEND_URL' | 'KILL_SWITCH' | 'PLATFORM_STAGE' | 'WALLET_ENCRYPTION_KEY'
  > &
    Making & { WARM_CONTAINERS: PoolSizes | undefined }
}

export interface WarmPool {
  /** Containers that wait, those on their way included. */
  waiting: number
  started: number
  dropped: number
}

/** A container that has not asked for an agent by then, or cannot be reached, is of no use; it is replaced now, and no sooner. */
const startMs = 10 * 60_000

/** None waits for longer, so that all are of task definitions and machines that are not old. */
const longestMs = 24 * 3_600_000

/** Containers that a round starts for a plan: Fargate starts 20 a second, and agents come first. */
const startsARound = 10

/**
 * Brings the pool to the size that WARM_CONTAINERS asks for: drops what is too old, made by another image or other settings, or too many, and starts what is
 * missing. A row comes before its task, and goes before it: a task without a row ends itself, or is stopped at its next event.
 * @param now epoch milliseconds
 */
export async function keepWarm(ctx: WarmPoolContext, now = Date.now()): Promise<WarmPool> {
  const pool = { waiting: 0, started: 0, dropped: 0 }
  for (const { plan, spot } of planSizes) {
    const rows = await waitingContainers(ctx.table, plan)
    const wanted = ctx.config.WARM_CONTAINERS?.[plan] ?? 0
    const made = await madeBy(ctx.config, plan)
    const good = rows
      .filter((row) => row.image === ctx.config.AGENT_IMAGE && row.madeBy === made)
      .filter((row) => row.spot === spot && !isOver(row, now))
    // The oldest go first: they have the least time left.
    const kept = good.slice(Math.max(0, good.length - wanted))
    for (const row of rows) if (!kept.includes(row) && (await drop(ctx, row))) pool.dropped++
    if (!ctx.config.KILL_SWITCH) pool.started += await fill(ctx, { plan, spot, kept, wanted, now })
    pool.waiting += kept.length
  }
  if (ctx.config.WARM_CONTAINERS !== undefined)
    ctx.log.info('warm containers', pool, {
      by: [['function']],
      of: { WarmContainers: [pool.waiting, 'Count'] },
    })
  return pool
}

function isOver(row: WarmContainer, now: number): boolean {
  const { createdAt, by, address } = row
  const isUp = by !== undefined && address !== undefined
  return isSilent(row, now) || now - createdAt > (isUp ? longestMs : startMs)
}

/** @returns false where an agent has just taken it */
async function drop(
  { table, containers }: WarmPoolContext,
  { id, taskArn, revision }: WarmContainer,
): Promise<boolean> {
  const unchanged = { if: '#revision = :revision', values: { revision } }
  if (!(await written(table.delete(warmRows.key({ id }), unchanged)))) return false
  if (taskArn !== undefined) await containers.stop(taskArn, 'Not wanted in the warm pool any more')
  return true
}

interface Filling {
  plan: WarmContainer['plan']
  spot: boolean
  kept: readonly WarmContainer[]
  wanted: number
  now: number
}

/** @returns how many tasks were asked for */
async function fill(
  ctx: WarmPoolContext,
  { plan, kept, wanted, ...how }: Filling,
): Promise<number> {
  const missing = Math.min(startsARound, Math.max(0, wanted - kept.length))
  let started = 0
  try {
    // Whose process died between the row and the task, or whose task there was no room for.
    for (const row of kept.filter(({ taskArn }) => taskArn === undefined)) {
      await run(ctx, row)
      started++
    }
    for (; started < missing; started++) await run(ctx, await declare(ctx, { plan, ...how }))
  } catch (error) {
    if (!(error instanceof CapacityUnavailable || error instanceof SpotUnavailable)) throw error
    ctx.log.warn('no room for warm containers', { plan, reason: error.message })
  }
  return started
}

async function declare(
  { table, config }: WarmPoolContext,
  { plan, spot, now }: Pick<Filling, 'plan' | 'spot' | 'now'>,
): Promise<WarmContainer> {
  const id = newId(warmRows.id)
  const image = config.AGENT_IMAGE
  const made = await madeBy(config, plan)
  const row = { id, plan, image, madeBy: made, spot, createdAt: now, revision: 1 }
  await table.put(warmRows.put({ id }, row, { gsi1pk: poolPartition(plan), gsi1sk: id }))
  return row
}

async function run(ctx: WarmPoolContext, row: WarmContainer): Promise<void> {
  const { arn } = await ctx.containers.run(await requestOf(ctx, row))
  // Its first event may have been faster, and says the same.
  await written(
    ctx.table.update(warmRows.key({ id: row.id }), {
      set: { taskArn: arn, revision: row.revision + 1 },
      if: '#revision = :revision',
      values: { revision: row.revision },
    }),
  )
}

async function requestOf(
  { config }: WarmPoolContext,
  { id, plan, spot }: WarmContainer,
): Promise<RunRequest> {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('The warm pool', ['WALLET_ENCRYPTION_KEY'])
  return {
    clientToken: id,
    startedBy: id,
    family: familyOf(plan),
    spot,
    environment: {
      AGENT_WARM_ID: id,
      AGENT_BOOTSTRAP_URL: `${config.BACKEND_URL}/bootstrap`,
      AGENT_BOOTSTRAP_TOKEN: await warmToken(key, id),
      AI_BASE_URL: `${config.BACKEND_URL}/v1`,
    },
    tags: { warmId: id, plan, stage: config.PLATFORM_STAGE },
  }
}
