import { notSent } from '#shared/agents/agent-gateway/not-sent.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { isAwakeLimit } from '#shared/agents/record/awake.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import type { TurnKey } from '#shared/ai/turns/key.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { removeTasks } from '../delete.ts'
import { runRows, startedDue } from '../rows.ts'
import { findTask, type ScheduledTask } from '../task.ts'
import { claimRun } from './claim.ts'
import { finishRun, type RunEnd } from './finish.ts'
import { hasPlace, claimPlaceWrite } from './places.ts'
import { postponeRun } from './postpone.ts'
import { requeueRun } from './requeue.ts'
import { runIdOf } from './run-id.ts'
import { lookMs, type Run } from './run.ts'
import { type RunRef, taskRuns } from './topic.ts'

/** The client of the agent that carries out a run. */
export interface RunsAgents {
  /**
   * Starts a sleeping agent.
   * @throws PlatformError
   */
  wake(agent: Agent): Promise<unknown>
  /**
   * Sends a prompt to an agent. When it resolves, the answer is in the history.
   * @throws PlatformError
   */
  ask(turn: {
    owner: string
    agentId: string
    prompt: string
    topic: string
    seed: string
    /** The run's id. */
    group: string
    by: string
    turnKey: TurnKey
  }): Promise<{ reply: string; tokens: number | null }>
}

/** The longest reply in a run; the history has the whole answer. */
const longestReply = 10_000

/** The delay before the next attempt if the agent is starting or cannot be woken, or the user has no free slot. */
const laterSeconds = 30

/** The interval of checks for a starting agent by a delayed message, because most agents start within a minute. */
const lookAgainSeconds = 10

/** After this time, only the tick sends a waiting run again. */
const lookAgainForSeconds = 300

/**
 * Carries out a run once, even if its message is repeated. The run is marked as started just before the request to the
 * agent, and a started run is repeated only if no byte can have reached the agent. The run waits for a starting agent,
 * for room for another awake agent, and for one of the user's slots; other failures end it. At the end, the next run is
 * claimed if it became due in the meantime.
 */
export async function executeRun(
  ctx: Pick<Context, 'table' | 'log'> &
    Sends<'task-runs' | 'webhook-deliveries'> &
    Can<'clock'> &
    RunsAgents,
  ref: RunRef,
): Promise<void> {
  const { clock = Date.now } = ctx
  const now = clock()
  const store = userStore(ctx.table, ref.userId)
  const [item, task, place] = await Promise.all([
    store.get(runRows.sk(ref)),
    findTask(store, ref.taskId),
    hasPlace(store),
  ])
  const waiting = item && runRows.parse(item)
  if (waiting?.state !== 'waiting') return
  if (task === undefined) {
    await finishRun(ctx, { run: waiting, end: failed('the task was deleted') })
    return
  }
  const agent = await findAgent(ctx, { agentId: task.agentId, owner: ref.userId })
  if (agent === undefined) {
    await finishRun(ctx, { run: waiting, end: failed('the agent was deleted') })
    await removeTasks({ store, agentId: task.agentId })
    return
  }
  if (isOnItsWay(agent)) {
    if (await postponeRun(ctx, { run: waiting, seconds: laterSeconds, now }))
      await lookAgain(ctx, ref, now)
    return
  }
  if (!place || !(await hasRoom(ctx, agent))) {
    await postponeRun(ctx, { run: waiting, seconds: laterSeconds, now })
    return
  }
  const started = await begin(ctx, waiting, now)
  if (started === undefined) return
  const end = await ask(ctx, task, started)
  if (end !== 'not asked') await finishRun(ctx, { run: started, end })
  else if (await requeueRun(ctx, { run: started, seconds: laterSeconds, now: clock() }))
    await lookAgain(ctx, ref, clock())
  await goOn(ctx, { before: task, run: started, now: clock() })
}

async function lookAgain({ queues }: Sends<'task-runs'>, ref: RunRef, now: number): Promise<void> {
  if (now - Date.parse(ref.due) >= lookAgainForSeconds * 1000) return
  await queues.send(taskRuns, ref, { delaySeconds: lookAgainSeconds })
}

function failed(reason: string): RunEnd {
  return { state: 'failed', reason }
}

/** Reports whether an agent should be running, but is not running yet. */
function isOnItsWay({ desired, status }: Agent): boolean {
  return desired === 'running' && status !== 'running'
}

/** Wakes a sleeping agent, and reports whether its owner's plan allows it to be awake. */
async function hasRoom(ctx: Pick<RunsAgents, 'wake'>, agent: Agent): Promise<boolean> {
  if (!agent.asleep) return true
  try {
    await ctx.wake(agent)
  } catch (error) {
    if (isAwakeLimit(error)) return false
    // The turn gets every other error too, and the run reports it.
    if (!(error instanceof PlatformError)) throw error
  }
  return true
}

/** @returns the run, or undefined if another message started it or it must wait for a slot */
async function begin(ctx: Pick<Context, 'table'>, run: Run, now: number): Promise<Run | undefined> {
  const started: Run = { ...run, state: 'started', startedAt: isoOf(now) }
  const refusals = await tryCommit(ctx.table, {
    start: {
      update: runRows.key(run),
      set: {
        state: started.state,
        startedAt: started.startedAt,
        ...startedDue.at(run.taskId, now + lookMs),
      },
      if: '#state = :waiting',
      values: { waiting: 'waiting' },
    },
    place: claimPlaceWrite(run.userId),
  })
  if (refusals === undefined) return started
  if (refusals.start === undefined) await postponeRun(ctx, { run, seconds: laterSeconds, now })
  return undefined
}

/** Claims the next run if it waited for the end of this one, because the next tick could be too late. */
async function goOn(
  ctx: Pick<Context, 'table'> & Sends<'task-runs'>,
  { before, run: ended, now }: { before: ScheduledTask; run: Run; now: number },
): Promise<void> {
  const task = await findTask(userStore(ctx.table, before.userId), before.id)
  if (task === undefined) return
  const late = Date.parse(ended.startedAt ?? ended.due) - Date.parse(ended.due)
  const behind = before.catchingUp === true ? late : undefined
  const run = await claimRun(ctx, { task, now, behind })
  if (run !== undefined) await ctx.queues.send(taskRuns, run)
}

/**
 * @returns the end of the run, or `not asked` if the agent has not received the request although it should be running
 */
async function ask(
  ctx: Pick<Context, 'table' | 'log'> & Pick<RunsAgents, 'ask'>,
  task: ScheduledTask,
  run: Run,
): Promise<RunEnd | 'not asked'> {
  const { userId, agentId, prompt, id: taskId } = task
  try {
    const { by = 'platform', seed, key, keyLimits } = run
    const group = runIdOf(run)
    const about = { agentId, prompt, topic: taskId, seed, group, by, turnKey: { key, keyLimits } }
    const answer = await ctx.ask({ owner: userId, ...about })
    const reply = answer.reply.slice(0, longestReply).toWellFormed()
    return { state: 'ok', reply, tokens: answer.tokens }
  } catch (error) {
    if (!(error instanceof PlatformError)) {
      ctx.log.error('a run failed', { taskId, error })
      return failed('something went wrong')
    }
    if (error.code === 'CANCELLED') {
      const { reason } = error.details
      return { state: 'cancelled', reason: typeof reason === 'string' ? reason : null }
    }
    if (notSent(error)) {
      const agent = await findAgent(ctx, { agentId, owner: userId })
      if (agent?.desired === 'running') return 'not asked'
    }
    return failed(error.message)
  }
}
