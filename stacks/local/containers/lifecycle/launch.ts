import { setTimeout as sleep } from 'node:timers/promises'
import { probeOf } from '../definitions/container.ts'
import { findDefinition } from '../definitions/store.ts'
import type { Engine } from '../engine.ts'
import { processStart } from '../processes/identify.ts'
import { signalGroup } from '../processes/kill.ts'
import { claimPort } from '../processes/port.ts'
import { openGate, startPaused } from '../processes/start.ts'
import { changeTask, requireTask } from '../tasks/store.ts'
import type { Task } from '../tasks/task.ts'
import { describeProcess } from './describe-process.ts'
import { finishTask } from './finish.ts'
import type { RunningProcess } from './running.ts'
import { supervise } from './supervise.ts'

/** The longest that a starting task may block others. */
const longestTurnMs = 1000

/**
 * Starts the process of a stored task in the background. Only a few processes start at a time, each until it is
 * healthy: if all started at the same time, they would slow each other and the platform down.
 */
export function launch(engine: Engine, id: string): void {
  const launching = takeTurn(engine, id).finally(() => engine.launching.delete(launching))
  engine.launching.add(launching)
}

async function takeTurn(engine: Engine, id: string): Promise<void> {
  await engine.launches.acquire()
  try {
    const running = await start(engine, id)
    await Promise.race([running?.ready, sleep(longestTurnMs, undefined, { ref: false })])
  } finally {
    engine.launches.release()
  }
}

async function start(engine: Engine, id: string): Promise<RunningProcess | undefined> {
  let running: RunningProcess | undefined
  try {
    running = await prepare(engine, id)
  } catch (error) {
    finishTask(engine, id, {
      code: 'TaskFailedToStart',
      reason: 'Task failed to start',
      containerReason: `CannotStartContainerError: ${String(error)}`,
    })
  }
  if (!running) return undefined
  const { pid } = running.process
  // Nothing has run yet, so a stop request in the meantime can end the process immediately.
  if (isUnwanted(engine, id)) {
    signalGroup(pid, 'SIGKILL')
    return running
  }
  const identity = { pid, start: processStart(pid) ?? '' }
  changeTask(engine, id, (before) => markRunning(before, engine.clock(), pid), identity)
  openGate(running.process)
  return running
}

/** Assigns a port and starts the process at the gate; undefined if the task was stopped before. */
async function prepare(engine: Engine, id: string): Promise<RunningProcess | undefined> {
  const { port, release } = await claimPort(engine.store)
  let running: RunningProcess | undefined
  try {
    running = await prepareAt(engine, id, port)
    return running
  } finally {
    void Promise.resolve(running?.ended).then(release, release)
  }
}

async function prepareAt(
  engine: Engine,
  id: string,
  port: number,
): Promise<RunningProcess | undefined> {
  if (isUnwanted(engine, id)) {
    finishTask(engine, id, { code: 'TaskFailedToStart', reason: 'Stopped before it started' })
    return undefined
  }
  const { refusal } = engine.trouble()
  if (refusal !== undefined) {
    finishTask(engine, id, { code: 'TaskFailedToStart', reason: refusal })
    return undefined
  }
  const { taskDefinitionArn } = requireTask(engine.store, id)
  const [definition] = findDefinition(engine.store, taskDefinitionArn).containerDefinitions
  if (!engine.images.has(definition.image)) {
    const reason = `CannotPullContainerError: failed to resolve ref ${definition.image}: not found`
    finishTask(engine, id, { code: 'TaskFailedToStart', reason })
    return undefined
  }
  const containerPort = definition.portMappings[0]?.containerPort ?? port
  const task = changeTask(engine, id, (before) => bindPort(before, containerPort, port))
  const started = await startPaused(describeProcess(engine, task, definition, port))
  const probe = probeOf(definition)
  try {
    return supervise(engine, id, started, {
      stopTimeoutMs: definition.stopTimeout * 1000,
      health: probe && { port, probe },
    })
  } catch (error) {
    signalGroup(started.pid, 'SIGKILL')
    throw error
  }
}

function isUnwanted(engine: Engine, id: string): boolean {
  return requireTask(engine.store, id).desiredStatus === 'STOPPED'
}

function bindPort(task: Task, containerPort: number, hostPort: number): Task {
  const [container] = task.containers
  const binding = { bindIP: '127.0.0.1', containerPort, hostPort, protocol: 'tcp' } as const
  return {
    ...task,
    lastStatus: 'PENDING',
    containers: [{ ...container, networkBindings: [binding] }],
  }
}

function markRunning(task: Task, startedAt: number, pid: number): Task {
  const [container] = task.containers
  return {
    ...task,
    lastStatus: 'RUNNING',
    startedAt,
    containers: [{ ...container, lastStatus: 'RUNNING', runtimeId: String(pid) }],
  }
}
