import { familyOf, planSizes } from '#shared/manifest/containers.ts'
import {
  CapacityUnavailable,
  type Containers,
  type RunRequest,
  SpotUnavailable,
} from '#shared/platform/containers/port.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isReady, isSilent, startMs } from './ready.ts'
import { poolPartition, type PoolSizes, type WarmContainer, warmRows } from './rows.ts'
import { settingsHash, type HashedSettings } from './settings-hash.ts'
import { warmToken } from './token.ts'
import { waitingContainers } from './waiting.ts'

export type WarmPoolContext = Pick<Context, 'table' | 'log'> &
  Reads<
    | 'AGENT_IMAGE'
    | 'BACKEND_URL'
    | 'KILL_SWITCH'
    | 'PLATFORM_STAGE'
    | 'WALLET_ENCRYPTION_KEY'
    | keyof HashedSettings
  > & {
    containers: Pick<Containers, 'run' | 'stop'>
    config: { WARM_CONTAINERS: PoolSizes | undefined }
  }

export interface WarmPool {
  /** Waiting containers, including starting ones. */
  waiting: number
  /** Waiting containers that an agent can take. */
  ready: number
  started: number
  dropped: number
}

/** A container is replaced at this age, so that all run on recent hosts. */
const longestMs = 24 * 3_600_000

/** The maximum number of starts per round and plan. Fargate starts 20 tasks a second, and agents have priority. */
const startsARound = 10

/**
 * Brings the pool to the size in WARM_CONTAINERS: removes containers that are too old, of another image or other
 * settings, or too many, and starts missing ones. A row is written before its task starts and deleted before its task
 * stops: a task without a row exits by itself, or is stopped at its next event.
 * @param now epoch milliseconds
 * @throws AggregateError of all failures, after every plan was handled
 */
export async function maintainWarmPool(ctx: WarmPoolContext, now = Date.now()): Promise<WarmPool> {
  const pool = { waiting: 0, ready: 0, started: 0, dropped: 0 }
  const failures: unknown[] = []
  for (const { plan, spot } of planSizes)
    await keepPlan(ctx, pool, { plan, spot, now }).catch((error: unknown) => failures.push(error))
  if (ctx.config.WARM_CONTAINERS !== undefined)
    ctx.log.info('warm containers', pool, {
      by: [['function']],
      of: { WarmContainers: [pool.ready, 'Count'] },
    })
  if (failures.length > 0)
    throw new AggregateError(failures, `The warm pool could not be updated: ${failures.join('; ')}`)
  return pool
}

type Kind = Pick<WarmContainer, 'plan' | 'spot'> & { now: number }

async function keepPlan(ctx: WarmPoolContext, pool: WarmPool, kind: Kind): Promise<void> {
  const { plan, spot, now } = kind
  const { AGENT_IMAGE: image, KILL_SWITCH: startsNone, WARM_CONTAINERS: sizes } = ctx.config
  const wanted = sizes?.[plan] ?? 0
  const rows = await waitingContainers(ctx.table, plan)
  const currentHash = await settingsHash(ctx.config, plan)
  const good = rows
    .filter((row) => row.image === image && row.madeBy === currentHash)
    .filter((row) => row.spot === spot && !isOver(row, now))
  const isOld = ({ createdAt }: WarmContainer) => now - createdAt > longestMs
  const retained = newest(
    good.filter((row) => !isOld(row)),
    wanted,
  )
  const ready = retained.filter((row) => isReady(row, now)).length
  // Otherwise, containers of the same age would all be removed before a replacement is ready.
  const old = newest(good.filter(isOld), startsNone ? 0 : wanted - ready)
  for (const row of rows)
    if (!retained.includes(row) && !old.includes(row) && (await drop(ctx, row))) pool.dropped++
  pool.waiting += retained.length + old.length
  pool.ready += ready + old.length
  if (!startsNone) pool.started += await fill(ctx, { ...kind, kept: retained, wanted })
}

/** Keeps the newest ones; the oldest have the least time left. */
function newest(rows: readonly WarmContainer[], count: number): readonly WarmContainer[] {
  return rows.slice(Math.max(0, rows.length - Math.max(0, count)))
}

/** Returns whether a container is useless, even without a replacement. */
function isOver(row: WarmContainer, now: number): boolean {
  const { createdAt, by, address } = row
  const isUp = by !== undefined && address !== undefined
  return isSilent(row, now) || (!isUp && now - createdAt > startMs)
}

/** @returns false if an agent has just taken it */
async function drop(
  { table, containers, log }: WarmPoolContext,
  { id, taskArn, revision }: WarmContainer,
): Promise<boolean> {
  const unchanged = { if: '#revision = :revision', values: { revision } }
  if (!(await tryWrite(table.delete(warmRows.key({ id }), unchanged)))) return false
  if (taskArn === undefined) return true
  try {
    await containers.stop(taskArn, 'No longer needed in the warm pool')
  } catch (error) {
    if (!(error instanceof CapacityUnavailable)) throw error
    // Its next request is rejected, and it exits by itself.
    log.warn('a warm container was not stopped', { id, taskArn, reason: error.message })
  }
  return true
}

interface Filling extends Kind {
  kept: readonly WarmContainer[]
  wanted: number
}

/** @returns the number of requested tasks */
async function fill(ctx: WarmPoolContext, { kept, wanted, ...kind }: Filling): Promise<number> {
  const missing = Math.max(0, wanted - kept.length)
  // The process died between the row and the task, or there was no capacity for the task.
  const again = kept.filter(({ taskArn }) => taskArn === undefined)
  let started = 0
  try {
    for (const row of again) {
      await run(ctx, row)
      started++
    }
    for (let i = 0; i < missing && i < startsARound; i++) {
      await run(ctx, await declare(ctx, kind))
      started++
    }
  } catch (error) {
    if (!(error instanceof CapacityUnavailable || error instanceof SpotUnavailable)) throw error
    ctx.log.warn('no room for warm containers', { plan: kind.plan, reason: error.message })
  }
  return started
}

async function declare(
  { table, config }: WarmPoolContext,
  { plan, spot, now }: Kind,
): Promise<WarmContainer> {
  const id = newId(warmRows.id)
  const image = config.AGENT_IMAGE
  const currentHash = await settingsHash(config, plan)
  const row = { id, plan, image, madeBy: currentHash, spot, createdAt: now, revision: 1 }
  await table.put(warmRows.put({ id }, row, { gsi1pk: poolPartition(plan), gsi1sk: id }))
  return row
}

async function run(ctx: WarmPoolContext, row: WarmContainer): Promise<void> {
  const { arn } = await ctx.containers.run(await requestOf(ctx, row))
  // Its first event may have been faster, and has the same content.
  await tryWrite(
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
