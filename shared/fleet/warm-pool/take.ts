import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import type { RunRequest, Task } from '../../platform/containers/port.ts'
import { planSizes } from '../../manifest/containers.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { PlatformError } from '../../platform/errors.ts'
import { hashOf } from '../../platform/table/shard.ts'
import type { Write } from '../../platform/table/port.ts'
import { wantsTask } from '../provisioning/wants-task.ts'
import { observe } from '../tasks/observe.ts'
import { madeBy, type Making } from './made-by.ts'
import { isReady, type Ready } from './ready.ts'
import { warmRows } from './rows.ts'
import { waitingContainers } from './waiting.ts'

/** No agent has its container for so long: by then its row goes, also where its end was never seen. */
const longestMs = 400 * 86_400_000

export interface Taking {
  /** Wants a task, and what its container will ask for is ready. */
  agent: Agent
  /** By which its own container would be started. */
  request: Pick<RunRequest, 'image' | 'spot'>
  /** By which tasks are made now. */
  config: Making & Pick<Settings, 'AGENT_IMAGE'>
}

/**
 * Whether a container of its plan's pool may be an agent's: that is of the plan's own image, and runs on spare capacity where
 * the plan does. An agent whose start has been decided to get a task of its own gets no other.
 */
export function mayTakeWarm(agent: Agent, { image, spot = false }: Taking['request']): boolean {
  const size = planSizes.find(({ plan }) => plan === agent.plan)
  return image === undefined && spot === size?.spot && !hasOwnTask(agent)
}

/**
 * Gives an agent that wants a task a container that waits, in one transaction: from then on the container has no other
 * agent, and the agent no other task. The container learns of it when it asks next.
 * @param taking of an agent that may take one: `mayTakeWarm`
 * @returns the agent with its task; undefined where no container waits that is as its own would be, or it wants none now
 */
export async function takeWarm(
  ctx: AgentContext,
  { agent, request, config }: Taking,
  now = Date.now(),
): Promise<Agent | undefined> {
  const waiting = await waitingContainers(ctx.table, agent.plan)
  const image = config.AGENT_IMAGE
  const made = await madeBy(config, agent.plan)
  const fit = waiting
    .filter((one) => isReady(one, now))
    .filter((one) => one.image === image && one.madeBy === made)
    .filter((one) => one.spot === (request.spot ?? false))
  // Agents that start together do not all try the same one first.
  const first = fit.length === 0 ? 0 : hashOf(agent.id) % fit.length
  for (const container of [...fit.slice(first), ...fit.slice(0, first)]) {
    const outcome = await take(ctx, agent, container, now)
    if (outcome !== 'moved') return outcome
    // An event or a question of its own may have changed the row, and no other agent.
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
  const item = await table.get(warmRows.key({ id }))
  const one = item && warmRows.parse(item)
  return one !== undefined && one.agent === undefined && isReady(one, now) ? one : undefined
}

/** @returns `moved` where the container's row is not as it was read */
async function take(
  ctx: AgentContext,
  agent: Agent,
  container: Ready,
  now: number,
): Promise<Agent | undefined | 'moved'> {
  const moved = new PlatformError('conflict', 'The container is not as it was read')
  const task = taskFor(agent, container, now)
  try {
    const stored = await changeAgent(ctx, {
      agent,
      decide: (current) =>
        current.generation === agent.generation && wantsTask(current) && !hasOwnTask(current)
          ? observe(current, task, now).agent
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

/** The container as a task of the agent's, which has just begun to run. */
function taskFor(agent: Agent, { taskArn, taskVersion, address }: Ready, now: number): Task {
  return {
    arn: taskArn,
    startedBy: agent.id,
    generation: agent.generation,
    status: 'RUNNING',
    health: 'UNKNOWN',
    version: taskVersion,
    address,
    startedAt: new Date(now).toISOString(),
    stop: undefined,
  }
}

function takenBy({ id: agentId, userId, generation }: Agent, one: Ready, now: number): Write {
  const { id, revision } = one
  return {
    update: warmRows.key({ id }),
    set: {
      agent: { agentId, userId, generation, takenAt: new Date(now).toISOString() },
      revision: revision + 1,
      expiresAt: Math.ceil((now + longestMs) / 1000),
    },
    remove: ['gsi1pk', 'gsi1sk'],
    if: '#revision = :revision',
    values: { revision },
  }
}

/**
 * Decides that an agent's present start gets a task of its own. Of two deliveries of a start at once, one could otherwise
 * take a container and the other begin a task.
 * @returns whether it wants that task; false where another delivery gave it a container, or it wants none now
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
