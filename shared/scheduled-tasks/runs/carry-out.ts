import type { Agent } from '../../agents/agent.ts'
import { isAwakeLimit } from '../../agents/awake.ts'
import { findAgent } from '../../agents/find.ts'
import type { Context } from '../../identity/context.ts'
import { PlatformError } from '../../platform/errors.ts'
import { HttpFailure, neverSent } from '../../platform/http-client/failure.ts'
import type { Queues } from '../../platform/queues/port.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { removeTasks } from '../delete.ts'
import { dueIndex, runRows } from '../rows.ts'
import { findTask, type ScheduledTask } from '../task.ts'
import { claimRun } from './claim.ts'
import { finishRun, type RunEnd } from './finish.ts'
import { hasPlace, placeTaken } from './places.ts'
import { postponeRun } from './postpone.ts'
import { putRunBack } from './put-back.ts'
import { isoAfter, type Run, runSeconds } from './run.ts'
import { runIdOf } from './run-id.ts'
import { type RunRef, taskRuns } from './topic.ts'

export interface RunContext extends Pick<Context, 'table' | 'log'> {
  queues: Queues<'task-runs' | 'webhook-deliveries'>
  /** Epoch milliseconds; the machine's clock unless it is given. */
  clock?: () => number
  /** Starts an agent that is asleep. @throws PlatformError */
  wake(agent: Agent): Promise<unknown>
  /** Says something to an agent; its answer is in the history when it resolves. @throws PlatformError */
  ask(turn: {
    userId: string
    agentId: string
    prompt: string
    topic: string
    seed: string
    /** The run's id. */
    group: string
    by: string
  }): Promise<{ reply: string; tokens: number | null }>
}

/** How much of an answer a run shows; the history has all of it. */
const longestReply = 10_000

/** An agent that is on its way or may not be awake yet, or a user with no place left, is asked for again after this long. */
const laterSeconds = 30

/** A run looks this often whether its agent is there, by a delayed message, since most agents start within a minute. */
const lookAgainSeconds = 10

/** After this long only the tick sends a run again that waits for its agent. */
const lookAgainForSeconds = 300

/**
 * Carries out a run once, however often its message comes: it counts as started just before the agent is asked, and a
 * started run is never begun again unless it is certain that no byte of it reached the agent. An agent that is on its way
 * is waited for, and so are room for one more that is awake and a place among the user's runs; any other failure is noted.
 * What has become due meanwhile is claimed at its end.
 */
export async function carryOutRun(ctx: RunContext, ref: RunRef): Promise<void> {
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
  else if (await putRunBack(ctx, { run: started, seconds: laterSeconds, now: clock() }))
    await lookAgain(ctx, ref, clock())
  await goOn(ctx, task, clock())
}

async function lookAgain({ queues }: RunContext, ref: RunRef, now: number): Promise<void> {
  if (now - Date.parse(ref.due) >= lookAgainForSeconds * 1000) return
  await queues.send(taskRuns, ref, { delaySeconds: lookAgainSeconds })
}

function failed(reason: string): RunEnd {
  return { state: 'failed', reason }
}

/** Wanted to run, and not there yet. */
function isOnItsWay({ desired, status }: Agent): boolean {
  return desired === 'running' && status !== 'running'
}

/** Wakes an agent that is asleep, and says whether its owner's plan lets it be awake now. */
async function hasRoom(ctx: RunContext, agent: Agent): Promise<boolean> {
  if (!agent.asleep) return true
  try {
    await ctx.wake(agent)
  } catch (error) {
    if (isAwakeLimit(error)) return false
    // The turn hears of every other refusal as well, and its run says so.
    if (!(error instanceof PlatformError)) throw error
  }
  return true
}

/** @returns the run, or undefined where another message began it or it has to wait for a place */
async function begin(ctx: RunContext, run: Run, now: number): Promise<Run | undefined> {
  const started: Run = { ...run, state: 'started', startedAt: new Date(now).toISOString() }
  const refusals = await tryCommit(ctx.table, {
    start: {
      update: runRows.key(run),
      set: {
        state: started.state,
        startedAt: started.startedAt,
        ...dueIndex(run.taskId, isoAfter(now, runSeconds)),
      },
      if: '#state = :waiting',
      values: { waiting: 'waiting' },
    },
    place: placeTaken(run.userId),
  })
  if (refusals === undefined) return started
  if (refusals.start === undefined) await postponeRun(ctx, { run, seconds: laterSeconds, now })
  return undefined
}

/** A time that waited for the end of a run is not left to the next tick, which may bring another. */
async function goOn(ctx: RunContext, before: ScheduledTask, now: number): Promise<void> {
  const task = await findTask(userStore(ctx.table, before.userId), before.id)
  if (task === undefined) return
  const waited = before.catchingUp === true
  const run = await claimRun(ctx, { task, now, waited })
  if (run !== undefined) await ctx.queues.send(taskRuns, run)
}

/** @returns how the run has ended, or `not asked` where its agent is wanted and has not heard of it */
async function ask(ctx: RunContext, task: ScheduledTask, run: Run): Promise<RunEnd | 'not asked'> {
  const { userId, agentId, prompt, id: taskId } = task
  try {
    const { by = 'platform', seed } = run
    const group = runIdOf(run)
    const answer = await ctx.ask({ userId, agentId, prompt, topic: taskId, seed, group, by })
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
    if (neverAsked(error)) {
      const agent = await findAgent(ctx, { agentId, owner: userId })
      if (agent?.desired === 'running') return 'not asked'
    }
    return failed(error.message)
  }
}

/** Whether it is certain that the agent has not heard of a turn: it was not running, or no connection was made. */
function neverAsked({ code, cause }: PlatformError): boolean {
  if (cause instanceof PlatformError) return neverAsked(cause)
  if (cause instanceof HttpFailure) return neverSent(cause)
  return code === 'AGENT_NOT_RUNNING' && cause === undefined
}
