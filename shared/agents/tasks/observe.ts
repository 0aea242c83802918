import type { Task, TaskStop } from '../../platform/containers/port.ts'
import type { Agent } from '../agent.ts'
import { provenHealthy } from '../healthy/recipe.ts'
import { moved } from '../status.ts'
import { reasonOf } from './stop-reason.ts'

/** What a task's new state means for its agent; of several at once, the last. */
export type TaskChange =
  | 'none'
  | 'pending'
  | 'running'
  | 'healthy'
  /** It ended because somebody asked it to. */
  | 'stopped-asked'
  /** It ended because the machine under it went away. */
  | 'stopped-ground'
  /** It ended, or could not start, and nobody asked it to. */
  | 'crashed'

export interface Observation {
  agent: Agent
  change: TaskChange
  /** How it ended, where it did. */
  stop?: TaskStop | undefined
  /** What must be sent once the agent is stored. */
  send?: 'start' | 'stop' | undefined
}

const groundCodes = new Set(['TerminationNotice', 'SpotInterruption'])

/** Whether a task is on its way up or there. */
export function isUp(status: string | undefined): boolean {
  return ['PROVISIONING', 'PENDING', 'ACTIVATING', 'RUNNING'].includes(status ?? '')
}

/** What an agent becomes by the sight of a task: only forward, and the same sight twice changes nothing. */
export function observe(agent: Agent, task: Task): Observation {
  const adopts = agent.taskArn === undefined && task.generation === agent.generation
  if (task.arn !== agent.taskArn && !adopts) return observeOther(agent, task)
  if (!adopts && task.version <= (agent.taskVersion ?? 0)) return { agent, change: 'none' }
  const seen: Agent = {
    ...agent,
    taskArn: task.arn,
    taskStatus: task.status,
    taskHealth: task.health,
    taskVersion: task.version,
    address: task.address,
  }
  if (task.stop !== undefined) return observeStop(seen, task.stop)
  if (agent.desired === 'stopped')
    return { agent: seen, change: 'none', send: isUp(task.status) ? 'stop' : undefined }
  return observeStart(agent, seen, task)
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
    agent: replaced ? { ...agent, previousTaskArn: undefined } : agent,
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

function observeStop(seen: Agent, stop: TaskStop): Observation {
  const ended: Agent = {
    ...seen,
    address: undefined,
    aiKeyHash: undefined,
    startedAt: undefined,
    stopReason: reasonOf(seen, stop),
  }
  if (seen.desired === 'stopped') return { agent: ended, change: 'stopped-asked', stop }
  if (stop.code === 'UserInitiated') return { agent: lost(ended), change: 'stopped-asked', stop }
  if (groundCodes.has(stop.code)) return { agent: lost(ended), change: 'stopped-ground', stop }
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
