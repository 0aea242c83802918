import { idOf, type Engine } from '../engine.ts'
import { signalGroup } from '../processes/kill.ts'
import { changeTask } from '../tasks/store.ts'
import type { StopCode, Task } from '../tasks/task.ts'
import type { RunningProcess } from './running.ts'

/**
 * Starts to stop a task: stores the request, sends SIGTERM to the process group, then SIGKILL after the stop timeout or
 * `graceMs`, the shorter of the two. A repeated request can only shorten that time.
 */
export function requestStop(
  engine: Engine,
  task: Task,
  stopCode: StopCode,
  stoppedReason: string,
  graceMs = Infinity,
): Task {
  if (task.lastStatus === 'STOPPED') return task
  const id = idOf(task.taskArn)
  const running = engine.running.get(id)
  const stopping =
    task.desiredStatus === 'STOPPED'
      ? task
      : changeTask(engine, id, (before) => ({
          ...before,
          // A task without a process is finished by its launch, which checks this before it starts one.
          lastStatus: running ? 'STOPPING' : before.lastStatus,
          desiredStatus: 'STOPPED',
          stopCode,
          stoppedReason,
          stoppingAt: engine.clock(),
        }))
  if (running) terminate(running, Math.min(running.stopTimeoutMs, graceMs))
  return stopping
}

function terminate(running: RunningProcess, graceMs: number): void {
  if (running.exited) return
  const killAt = performance.now() + graceMs
  if (running.killAt === undefined) {
    signalGroup(running.process.pid, 'SIGTERM')
    // A process suspended by SIGSTOP handles no other signal until SIGCONT.
    signalGroup(running.process.pid, 'SIGCONT')
  } else if (running.killAt <= killAt) return
  clearTimeout(running.killTimer)
  running.killAt = killAt
  running.killTimer = setTimeout(() => signalGroup(running.process.pid, 'SIGKILL'), graceMs)
}
