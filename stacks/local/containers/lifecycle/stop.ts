import { idOf, type Engine } from '../engine.ts'
import { signalGroup } from '../processes/kill.ts'
import { changeTask } from '../tasks/store.ts'
import type { StopCode, Task } from '../tasks/task.ts'
import type { Running } from './running.ts'

/**
 * Begins to stop a task: stored first, then SIGTERM to its process group, then SIGKILL after its
 * stop timeout or `graceMs`, whichever is shorter. Asking again changes nothing but that time.
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
          // One that has no process yet is finished by its launch, which looks before it starts one.
          lastStatus: running ? 'STOPPING' : before.lastStatus,
          desiredStatus: 'STOPPED',
          stopCode,
          stoppedReason,
          stoppingAt: engine.clock(),
        }))
  if (running) terminate(running, Math.min(running.stopTimeoutMs, graceMs))
  return stopping
}

function terminate(running: Running, graceMs: number): void {
  if (running.exited) return
  const killAt = performance.now() + graceMs
  if (running.killAt === undefined) {
    signalGroup(running.process.pid, 'SIGTERM')
    // A process that is stopped takes no other signal before.
    signalGroup(running.process.pid, 'SIGCONT')
  } else if (running.killAt <= killAt) return
  clearTimeout(running.killTimer)
  running.killAt = killAt
  running.killTimer = setTimeout(() => signalGroup(running.process.pid, 'SIGKILL'), graceMs)
}
