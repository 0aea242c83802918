import { type Agent, liveTasks } from '#shared/agents/record/agent.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { sealChange } from '#shared/agents/record/config/seal.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import { recordTaskEnd } from '#shared/agents/record/past-tasks.ts'
import { recipeOf } from '#shared/agents/record/recipe.ts'
import {
  CapacityUnavailable,
  SpotUnavailable,
  StartRefused,
  type Task,
  type TaskStop,
} from '#shared/platform/containers/port.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { isoOf } from '#shared/platform/times.ts'
import { offerOf } from '../bootstrap/offer.ts'
import { targetImage } from '../image/target-image.ts'
import { failAgent } from '../lifecycle/fail.ts'
import { sendStart } from '../requests/send.ts'
import type { StartMessage } from '../requests/topic.ts'
import { awaitingRoom, capacityDelay } from '../states/await-room.ts'
import { isUp } from '../states/task-state.ts'
import { wantsTask } from '../states/wants-task.ts'
import { ownTask } from '../warm-pool/observe.ts'
import type { ProvisioningContext } from './context.ts'
import { handOverAgain, handOverWarm } from './hand-over.ts'
import { encryptionKey, runRequest } from './request.ts'

/**
 * Returns the seconds until the next check of a previous task that is still stopping: 15, 30, then 60. The event of its
 * end usually arrives earlier, and each check is a StopTask call, whose rate ECS limits.
 */
function endPollDelay(polls: number): number {
  return Math.min(60, 15 * 2 ** polls)
}

/**
 * Starts the task of an agent's generation. A message for another generation, or for an agent that should not run or
 * has its task, starts nothing. A message that is repeated after a crash finds the task that was started before.
 */
export async function startTask(
  ctx: ProvisioningContext,
  message: StartMessage,
  now = Date.now(),
): Promise<void> {
  const agent = await readAgent(ctx.table, message)
  const wanted = (one: Agent | undefined): one is Agent =>
    one?.generation === message.generation && wantsTask(one)
  if (!wanted(agent)) {
    await handOverAgain(ctx, message, agent)
    return stopOrphans(ctx, message, agent)
  }
  if (ctx.config.KILL_SWITCH) {
    // The watchdog repeats the start at intervals, so the agent starts after the switch is turned off.
    ctx.log.warn('not started: provisioning is disabled', { agentId: agent.id })
    return
  }
  // Another message is scheduled for the end of the wait.
  if ((agent.retryAt ?? 0) > now + 1000) return
  try {
    if (!(await previousHasEnded(ctx, agent, message.reason))) {
      const { reason, polls = 0 } = message
      const again = { reason, polls: polls + 1, delaySeconds: endPollDelay(polls) }
      await sendStart(ctx.queues, agent, again)
      return
    }
    const { trial, updateGeneration, generation } = agent
    if (trial !== undefined || updateGeneration === generation) await ctx.beforeUpdate?.(agent)
    const claimed = await claim(ctx, agent, now)
    if (!wanted(claimed)) return
    const diskGb = await ctx.diskGb?.(claimed)
    const request = { ...(await runRequest(ctx, claimed)), diskGb }
    // Warm containers have the default disk, because they start before their agent is known.
    if (diskGb === undefined && (await handOverWarm(ctx, claimed, request, now))) return
    const earlierTask = await findSpotStart(ctx, claimed)
    await attach(ctx, claimed, earlierTask ?? (await ctx.containers.run(request)))
  } catch (error) {
    if (error instanceof SpotUnavailable) await startOnDemand(ctx, agent, message.reason, error)
    else if (error instanceof CapacityUnavailable) await waitForCapacity(ctx, agent, error, now)
    else if (error instanceof StartRefused) await refuse(ctx, agent, error, now)
    else throw error
  }
}

/** Two tasks of one agent must not run at the same time, because both would write to its workspace. */
async function previousHasEnded(
  { containers, table }: ProvisioningContext,
  agent: Agent,
  reason: string,
): Promise<boolean> {
  if (agent.previousTaskArn === undefined) return true
  const replaced = `Replaced by generation ${agent.generation} (${reason})`
  const task = await containers.stop(agent.previousTaskArn, replaced)
  // The event of its end can arrive after the next container's first log lines.
  const own = task?.stop && (await ownTask(table, task))
  if (own?.stop !== undefined) await recordTaskEnd(table, agent, { ...own, stop: own.stop })
  return task === undefined || task.status === 'STOPPED'
}

/** Activates the generation's AI key and makes the secrets available, before the container exists. */
async function claim(
  ctx: ProvisioningContext,
  agent: Agent,
  now: number,
): Promise<Agent | undefined> {
  const key = await agentAiKey(encryptionKey(ctx), agent, agent.generation)
  const aiKeyHash = await sha256Hex(key)
  const upgrade = await sealChange(ctx, agent, {})
  return changeAgent(ctx, {
    agent,
    decide: (current) => {
      if (current.generation !== agent.generation || !wantsTask(current)) return current
      const { previousTaskArn } = current
      const bootstrap = offerOf(current, now)
      if (current.aiKeyHash === aiKeyHash && previousTaskArn === undefined)
        return current.bootstrap === bootstrap ? current : { ...current, bootstrap }
      const next = mergeConfig(current, upgrade)
      return {
        ...next,
        aiKeyHash,
        bootstrap,
        previousTaskArn: undefined,
        image: targetImage(next, platformsImage(ctx.config, next.id)),
        startedWith: recipeOf(next),
      }
    },
  })
}

/** Records the task; its events complete the record. A task that is no longer wanted is stopped. */
async function attach(ctx: ProvisioningContext, agent: Agent, task: Task): Promise<void> {
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.generation !== agent.generation || current.taskArn !== undefined
        ? current
        : // The state in the response is not stored, so that the event of that state counts as new.
          { ...current, taskArn: task.arn, taskStatus: 'PROVISIONING', taskVersion: 0 },
  })
  if (stored?.taskArn === task.arn && stored.desired === 'running' && !stored.deleting) return
  await ctx.containers.stop(task.arn, 'No longer needed')
}

/** Records that this start must not use Spot, and sends it again immediately as another request with its own token. */
async function startOnDemand(
  ctx: ProvisioningContext,
  agent: Agent,
  reason: string,
  error: SpotUnavailable,
): Promise<void> {
  ctx.log.info(
    'no spare capacity',
    { agentId: agent.id, plan: agent.plan, reason: error.message },
    { by: [['function']], of: { OnDemandStarts: [1, 'Count'] } },
  )
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.generation !== agent.generation || !wantsTask(current)
        ? current
        : { ...current, onDemand: true },
  })
  if (stored?.onDemand) await sendStart(ctx.queues, stored, { reason })
}

async function waitForCapacity(
  ctx: ProvisioningContext,
  agent: Agent,
  error: CapacityUnavailable,
  now: number,
): Promise<void> {
  const startAttempts = (agent.startAttempts ?? 0) + 1
  const delaySeconds = capacityDelay(agent.id, startAttempts)
  ctx.log.warn('no capacity', { agentId: agent.id, startAttempts, reason: error.message })
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.generation !== agent.generation || !wantsTask(current)
        ? current
        : awaitingRoom(current, startAttempts, error.message, now),
  })
  if (stored?.startAttempts === startAttempts) await sendStart(ctx.queues, stored, { delaySeconds })
}

/**
 * Marks the agent as failed instead of retrying a start that cannot succeed. If an image is on trial or a repair is in
 * progress, the watchdog continues with the previous image or the next step instead.
 */
async function refuse(
  ctx: ProvisioningContext,
  agent: Agent,
  error: StartRefused,
  now: number,
): Promise<void> {
  ctx.log.error('start refused', { agentId: agent.id, error })
  const reason = { code: 'StartRefused', text: error.message }
  const watched = agent.trial !== undefined || agent.watchdog.state === 'repairing'
  if (!watched) await failAgent(ctx, { agent, reason })
  else await endAsTask(ctx, agent, { ...reason, exitCode: null, at: isoOf(now) })
}

/** Reports the failed start to the watchdog as the end of a task. */
async function endAsTask(
  { table }: ProvisioningContext,
  agent: Agent,
  stopReason: TaskStop,
): Promise<void> {
  await changeAgent(
    { table },
    {
      agent,
      decide: (current) =>
        current.generation !== agent.generation || !wantsTask(current)
          ? current
          : { ...current, taskStatus: 'STOPPED', stopReason, aiKeyHash: undefined },
    },
  )
}

/**
 * Returns the Spot task that an earlier delivery of this start began but did not record because its process died, if
 * this delivery must not use Spot. ECS cannot detect that both are one start, because their tokens differ.
 */
async function findSpotStart(
  { containers }: Pick<ProvisioningContext, 'containers'>,
  { id, generation, onDemand }: Agent,
): Promise<Task | undefined> {
  if (onDemand === undefined) return undefined
  for (const arn of await containers.list(id)) {
    const task = await containers.describe(arn)
    if (task?.generation === generation && isUp(task.status)) return task
  }
  return undefined
}

/**
 * Stops the tasks that an earlier delivery of an obsolete start began but never recorded, because its process died in
 * between. Their events would also reveal them, but can be lost.
 */
async function stopOrphans(
  { containers }: Pick<ProvisioningContext, 'containers'>,
  { agentId, generation }: StartMessage,
  agent: Agent | undefined,
): Promise<void> {
  if (agent?.generation === generation && agent.desired === 'running' && !agent.deleting) return
  const known = new Set(agent === undefined ? [] : liveTasks(agent))
  for (const arn of await containers.list(agentId)) {
    if (known.has(arn)) continue
    const task = await containers.describe(arn)
    if (task?.generation === generation) await containers.stop(arn, 'No longer needed')
  }
}
