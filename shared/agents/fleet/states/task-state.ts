import type { Agent } from '#shared/agents/record/agent.ts'
import { withLastImage } from '#shared/agents/record/image/last-image.ts'
import { provenHealthy } from '#shared/agents/record/recipe.ts'
import { nextStatus } from '#shared/agents/record/status.ts'
import type { Task, TaskStop } from '#shared/platform/containers/port.ts'
import { awaitingRoom } from './await-room.ts'
import { nextGeneration } from './generation.ts'
import { isHostLost, isHostRefusal, isLackOfCapacity } from './host-failure.ts'
import { asksForSpot } from './spot.ts'
import { reasonOf } from './stop-reason.ts'

/** The effect of a task's new state on its agent. With several effects, the last one. */
type TaskChange =
  | 'none'
  | 'pending'
  | 'running'
  | 'healthy'
  /** The platform or an AWS operator stopped it. */
  | 'stopped-asked'
  /** AWS reclaimed its host. */
  | 'stopped-host'
  /** ECS could not start it because of missing resources, such as capacity. The next start waits. */
  | 'refused-host'
  /** It ended by itself, or could not start. */
  | 'crashed'

export interface Observation {
  agent: Agent
  change: TaskChange
  /** The end of the task, if it has ended. */
  stop?: TaskStop | undefined
  /** The message to send after the agent is stored. */
  send?: 'start' | 'stop' | undefined
}

/** Returns whether a task is starting or running. */
export function isUp(status: string | undefined): boolean {
  return ['PROVISIONING', 'PENDING', 'ACTIVATING', 'RUNNING'].includes(status ?? '')
}

/** Applies a task state to an agent. States only move forward, and a repeated state changes nothing. */
export function applyTaskState(agent: Agent, task: Task, now = Date.now()): Observation {
  const adopts = agent.taskArn === undefined && task.generation === agent.generation
  if (task.arn !== agent.taskArn && !adopts) return observeOther(agent, task)
  if (!adopts && task.version <= (agent.taskVersion ?? 0)) return { agent, change: 'none' }
  const observed: Agent = {
    ...withLastImage(agent, task),
    taskArn: task.arn,
    taskStatus: task.status,
    taskHealth: task.health,
    taskVersion: task.version,
    leaving: isLeaving(task) ? true : undefined,
    address: task.address,
  }
  if (task.stop !== undefined) return observeStop(observed, task.stop, now)
  if (agent.desired === 'stopped')
    return { agent: observed, change: 'none', send: isUp(task.status) ? 'stop' : undefined }
  return observeStart(agent, observed, task)
}

/** Spot announces the end two minutes ahead. */
function isLeaving({ stop, stopCode }: Task): boolean {
  return stop === undefined && stopCode !== undefined && isHostLost({ code: stopCode })
}

/**
 * Applies the state of another start's task. If the task runs, it is stopped, unless it is already stopping. Its end
 * allows the next start to begin. Each repetition of the end sends the message of that start again, because the first
 * message may have been lost.
 */
function observeOther(agent: Agent, task: Task): Observation {
  const replaced = task.arn === agent.previousTaskArn
  if (task.stop === undefined)
    return { agent, change: 'none', send: isUp(task.status) && !replaced ? 'stop' : undefined }
  const waiting = agent.desired === 'running' && agent.taskArn === undefined
  return {
    // The row still has the task's image. The next start's claim removes both in one write.
    agent: replaced ? { ...withLastImage(agent, task), previousTaskArn: undefined } : agent,
    change: 'none',
    send: waiting ? 'start' : undefined,
  }
}

function observeStart(before: Agent, seen: Agent, task: Task): Observation {
  if (task.status !== 'RUNNING')
    return { agent: seen, change: before.taskStatus === task.status ? 'none' : 'pending' }
  const agent = { ...seen, startedAt: task.startedAt }
  if (task.health === 'HEALTHY' && before.taskHealth !== 'HEALTHY')
    return { agent: healthy(agent), change: 'healthy' }
  return { agent, change: before.taskStatus === 'RUNNING' ? 'none' : 'running' }
}

function observeStop(seen: Agent, stop: TaskStop, now: number): Observation {
  const ended: Agent = {
    ...seen,
    address: undefined,
    aiKeyHash: undefined,
    startedAt: undefined,
    stopReason: reasonOf(seen, stop),
  }
  if (seen.desired === 'stopped') return { agent: ended, change: 'stopped-asked', stop }
  if (stop.code === 'UserInitiated') return { agent: lost(ended), change: 'stopped-asked', stop }
  if (isHostLost(stop)) return { agent: lost(ended), change: 'stopped-host', stop }
  if (isHostRefusal(stop)) {
    // The token of the next request must differ, because this one names the ended task.
    const attempts = (ended.startAttempts ?? 0) + 1
    const waiting = awaitingRoom(nextGeneration(ended), attempts, stop.text, now)
    // ECS returned a task before it found that there is no Spot capacity for it.
    const agent: Agent =
      asksForSpot(ended) && isLackOfCapacity(stop) ? { ...waiting, onDemand: true } : waiting
    return { agent, change: 'refused-host', stop, send: 'start' }
  }
  return {
    agent: { ...ended, status: nextStatus(ended.status, 'fail') ?? ended.status },
    change: 'crashed',
    stop,
  }
}

/** Returns the agent as starting, because it will be started again. */
function lost(agent: Agent): Agent {
  return { ...agent, status: nextStatus(agent.status, 'lost') ?? agent.status }
}

/** Returns the agent as running and healthy. */
export function healthy(agent: Agent): Agent {
  const status = nextStatus(agent.status, 'healthy')
  if (status === undefined) return agent
  return {
    ...provenHealthy(agent),
    status,
    stopReason: undefined,
    startAttempts: undefined,
    retryAt: undefined,
    waking: undefined,
  }
}
