import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { planSizes } from '#shared/manifest/containers.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { RunRequest, Task } from '#shared/platform/containers/port.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { hashOf } from '#shared/platform/table/shard.ts'
import { isoOf } from '#shared/platform/times.ts'
import { applyTaskState } from '../states/task-state.ts'
import { wantsTask } from '../states/wants-task.ts'
import { isReady, type Ready } from './ready.ts'
import { warmRows } from './rows.ts'
import { settingsHash, type HashedSettings } from './settings-hash.ts'
import { waitingContainers } from './waiting.ts'

/** The expiry of a row whose container's end was never recorded. No agent keeps its container for this long. */
const longestMs = 400 * 86_400_000

export interface WarmAssignment {
  /** An agent that needs a task, and whose secrets are ready to be fetched. */
  agent: Agent
  /** The request for its own container. */
  request: Pick<RunRequest, 'image' | 'spot'>
  /** The current settings of tasks. */
  config: HashedSettings & Pick<Settings, 'AGENT_IMAGE'>
}

/**
 * Returns whether an agent can take a container of its plan's pool: it uses the plan's own image, and Spot if the plan
 * does. An agent whose start already uses its own task cannot.
 */
export function canAssignWarm(
  agent: Agent,
  { image, spot = false }: WarmAssignment['request'],
): boolean {
  const size = planSizes.find(({ plan }) => plan === agent.plan)
  return image === undefined && spot === size?.spot && !hasOwnTask(agent)
}

/**
 * Assigns a waiting container to an agent, in one transaction: the container gets no other agent, and the agent no
 * other task. The container finds out with its next poll.
 * @param taking an agent that can take one: `canAssignWarm`
 * @returns the agent with its task; undefined if no matching container waits or the agent no longer needs one
 */
export async function assignWarm(
  ctx: AgentContext,
  { agent, request, config }: WarmAssignment,
  now = Date.now(),
): Promise<Agent | undefined> {
  const waiting = await waitingContainers(ctx.table, agent.plan)
  const image = config.AGENT_IMAGE
  const currentHash = await settingsHash(config, agent.plan)
  const fit = waiting
    .filter((one) => isReady(one, now))
    .filter((one) => one.image === image && one.madeBy === currentHash)
    .filter((one) => one.spot === (request.spot ?? false))
  // A hash selects the first container to try, so that agents that start together do not all try the same one.
  const first = fit.length === 0 ? 0 : hashOf(agent.id) % fit.length
  for (const container of [...fit.slice(first), ...fit.slice(0, first)]) {
    const outcome = await take(ctx, agent, container, now)
    if (outcome !== 'moved') return outcome
    // An event or a poll may have changed the row, without another agent.
    const again = await stillReady(ctx, container, now)
    const second = again && (await take(ctx, agent, again, now))
    if (again !== undefined && second !== 'moved') return second
  }
  return undefined
}

async function stillReady(
  { table }: AgentContext,
  { id }: Ready,
  now: number,
): Promise<Ready | undefined> {
  const one = await warmRows.find(table, { id })
  return one !== undefined && one.agent === undefined && isReady(one, now) ? one : undefined
}

/** @returns `moved` if the container's row has changed since it was read */
async function take(
  ctx: AgentContext,
  agent: Agent,
  container: Ready,
  now: number,
): Promise<Agent | undefined | 'moved'> {
  const moved = new PlatformError('conflict', 'The container has changed since it was read')
  const task = taskFor(agent, container, now)
  try {
    const stored = await changeAgent(ctx, {
      agent,
      decide: (current) =>
        current.generation === agent.generation && wantsTask(current) && !hasOwnTask(current)
          ? applyTaskState(current, task, now).agent
          : current,
      onChange: { write: takenBy(agent, container, now), refused: () => moved },
      now,
    })
    return stored?.taskArn === task.arn ? stored : undefined
  } catch (error) {
    if (error === moved) return 'moved'
    throw error
  }
}

/** Returns the container as a task of the agent that has just started to run. */
function taskFor(agent: Agent, { taskArn, taskVersion, address }: Ready, now: number): Task {
  return {
    arn: taskArn,
    startedBy: agent.id,
    generation: agent.generation,
    status: 'RUNNING',
    health: 'UNKNOWN',
    version: taskVersion,
    address,
    startedAt: isoOf(now),
    stop: undefined,
  }
}

function takenBy({ id: agentId, userId, generation }: Agent, one: Ready, now: number): Write {
  const { id, revision } = one
  return {
    update: warmRows.key({ id }),
    set: {
      agent: { agentId, userId, generation, takenAt: isoOf(now) },
      revision: revision + 1,
      expiresAt: Math.ceil((now + longestMs) / 1000),
    },
    remove: ['gsi1pk', 'gsi1sk'],
    if: '#revision = :revision',
    values: { revision },
  }
}

/**
 * Records that an agent's current start uses its own task. Otherwise, of two concurrent deliveries, one could take a
 * container and the other start a task.
 * @returns whether to start the task; false if another delivery assigned a container, or the agent no longer needs a
 * task
 */
export async function decideOnOwnTask(ctx: AgentContext, agent: Agent): Promise<boolean> {
  const wants = (one: Agent) => one.generation === agent.generation && wantsTask(one)
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      wants(current) && !hasOwnTask(current)
        ? { ...current, ownTask: current.generation }
        : current,
  })
  return stored !== undefined && wants(stored)
}

function hasOwnTask({ ownTask, generation }: Agent): boolean {
  return ownTask === generation
}
