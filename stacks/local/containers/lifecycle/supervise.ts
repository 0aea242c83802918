import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Probe } from '../definitions/container.ts'
import type { Engine } from '../engine.ts'
import { LogFile } from '../logs/write.ts'
import { killMarked, signalGroup } from '../processes/kill.ts'
import type { StartedProcess } from '../processes/start.ts'
import { changeTask } from '../tasks/store.ts'
import type { HealthStatus, Task } from '../tasks/task.ts'
import { finishTask } from './finish.ts'
import { watchHealth } from './probe.ts'
import type { RunningProcess } from './running.ts'

interface Supervision {
  stopTimeoutMs: number
  health: { port: number; probe: Probe } | undefined
}

/** The wait for the rest of a process's output after its end. */
const outputGraceMs = 500

/** Stores a process's output, watches its health, and finishes its task when it ends. */
export function supervise(
  engine: Engine,
  id: string,
  process: StartedProcess,
  { stopTimeoutMs, health }: Supervision,
): RunningProcess {
  const { child, pid } = process
  const log = new LogFile(engine.dir, id, engine.clock)
  log.take(child.stdout)
  log.take(child.stderr)
  const watching = new AbortController()
  const ready = Promise.withResolvers<void>()
  if (health) {
    const tell = (status: HealthStatus) => {
      changeTask(engine, id, (task) => withHealth(task, status))
      ready.resolve()
    }
    void watchHealth(health.port, health.probe, tell, watching.signal)
  } else {
    ready.resolve()
  }
  const closed = new Promise((resolve) => child.once('close', resolve))
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => {
      running.exited = true
      clearTimeout(running.killTimer)
      watching.abort()
      ready.resolve()
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL'])
    })
  })
  const end = async () => {
    const exitCode = await exited
    signalGroup(pid, 'SIGKILL')
    killMarked(new Set([id]))
    await Promise.race([closed, sleep(outputGraceMs, undefined, { ref: false })])
    child.stdin.destroy()
    log.close()
    finishTask(engine, id, {
      code: 'EssentialContainerExited',
      reason: 'Essential container in task exited',
      exitCode,
    })
    engine.running.delete(id)
  }
  const running: RunningProcess = {
    process,
    stopTimeoutMs,
    ready: ready.promise,
    ended: end(),
    exited: false,
  }
  engine.running.set(id, running)
  return running
}

function withHealth(task: Task, healthStatus: HealthStatus): Task {
  const [container] = task.containers
  return { ...task, healthStatus, containers: [{ ...container, healthStatus }] }
}
