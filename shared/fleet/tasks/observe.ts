import type { Task, TaskStop } from '../../platform/containers/port.ts'
import type { Agent } from '../../agents/agent.ts'
import { provenHealthy } from '../../agents/recipe.ts'
import { withRan } from '../../agents/image/ran.ts'
import { nextGeneration } from '../lifecycle/generation.ts'
import { awaitingRoom } from '../provisioning/await-room.ts'
import { asksForSpot } from '../provisioning/spot.ts'
import { moved } from '../../agents/status.ts'
import { isHostLost, isHostRefusal, isLackOfCapacity } from './host-failure.ts'
import { reasonOf } from './stop-reason.ts'

/** What a task's new state means for its agent; of several at once, the last. */
export type TaskChange =
  | 'none'
  | 'pending'
  | 'running'
  | 'healthy'
  /** It ended because the platform or an operator of AWS asked it to. */
  | 'stopped-asked'
  /** It ended because the machine under it went away. */
  | 'stopped-host'
  /** ECS could not start it because ECS lacked something, such as capacity. Another start waits for that. */
  | 'refused-host'
  /** It ended without being asked to, or could not start. */
  | 'crashed'

export interface Observation {
  agent: Agent
  change: TaskChange
  /** How it ended, where it did. */
  stop?: TaskStop | undefined
  /** What must be sent once the agent is stored. */
  send?: 'start' | 'stop' | undefined
}

/** Whether a task is on its way up or there. */
export function isUp(status: string | undefined): boolean {
  return ['PROVISIONING', 'PENDING', 'ACTIVATING', 'RUNNING'].includes(status ?? '')
}

/** What an agent becomes by the sight of a task: only forward, and the same sight twice changes nothing. */
export function observe(agent: Agent, task: Task, now = Date.now()): Observation {
  const adopts = agent.taskArn === undefined && task.generation === agent.generation
  if (task.arn !== agent.taskArn && !adopts) return observeOther(agent, task)
  if (!adopts && task.version <= (agent.taskVersion ?? 0)) return { agent, change: 'none' }
  const seen: Agent = {
    ...withRan(agent, task),
    taskArn: task.arn,
    taskStatus: task.status,
    taskHealth: task.health,
    taskVersion: task.version,
    leaving: isLeaving(task) ? true : undefined,
    address: task.address,
  }
  if (task.stop !== undefined) return observeStop(seen, task.stop, now)
  if (agent.desired === 'stopped')
    return { agent: seen, change: 'none', send: isUp(task.status) ? 'stop' : undefined }
  return observeStart(agent, seen, task)
}

/** Spot tells of the end two minutes before it. */
function isLeaving({ stop, stopCode }: Task): boolean {
  return stop === undefined && stopCode !== undefined && isHostLost({ code: stopCode })
}

/**
 * A task of another start. One that is up is stopped, unless that is under way. Its end lets the next one begin,
 * which is asked for as often as the end is told: the first asking may have been lost.
 */
function observeOther(agent: Agent, task: Task): Observation {
  const replaced = task.arn === agent.previousTaskArn
  if (task.stop === undefined)
    return { agent, change: 'none', send: isUp(task.status) && !replaced ? 'stop' : undefined }
  const waiting = agent.desired === 'running' && agent.taskArn === undefined
  return {
    // Its image is still the row's: the next start's claim takes both away in one write.
    agent: replaced ? { ...withRan(agent, task), previousTaskArn: undefined } : agent,
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
    // Its token names the task that has ended, so it takes another start.
    const attempts = (ended.startAttempts ?? 0) + 1
    const waiting = awaitingRoom(nextGeneration(ended), attempts, stop.text, now)
    // ECS has answered with a task before it knew that there is no spare capacity for it.
    const agent: Agent =
      asksForSpot(ended) && isLackOfCapacity(stop) ? { ...waiting, onDemand: true } : waiting
    return { agent, change: 'refused-host', stop, send: 'start' }
  }
  return {
    agent: { ...ended, status: moved(ended.status, 'fail') ?? ended.status },
    change: 'crashed',
    stop,
  }
}

/** It will be started again, so it is on its way. */
function lost(agent: Agent): Agent {
  return { ...agent, status: moved(agent.status, 'lost') ?? agent.status }
}

/** The agent as one whose task runs and answers. */
export function healthy(agent: Agent): Agent {
  const status = moved(agent.status, 'healthy')
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
