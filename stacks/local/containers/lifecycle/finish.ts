import type { Engine } from '../engine.ts'
import { changeTask } from '../tasks/store.ts'
import type { StopCode, Task } from '../tasks/task.ts'

/** The end of a task. */
export interface TaskEnd {
  code: StopCode
  reason: string
  exitCode?: number
  /** The failure of the container itself. */
  containerReason?: string
}

/** Marks a task STOPPED. Keeps the stop code and reason of an earlier stop request. */
export function finishTask(engine: Engine, id: string, ending: TaskEnd): Task {
  return changeTask(engine, id, (task) => {
    const now = engine.clock()
    const [container] = task.containers
    return {
      ...task,
      lastStatus: 'STOPPED',
      desiredStatus: 'STOPPED',
      healthStatus: 'UNKNOWN',
      stopCode: task.stopCode ?? ending.code,
      stoppedReason: task.stoppedReason ?? ending.reason,
      stoppingAt: task.stoppingAt ?? now,
      executionStoppedAt: now,
      stoppedAt: now,
      tags: [],
      containers: [
        {
          ...container,
          lastStatus: 'STOPPED',
          healthStatus: 'UNKNOWN',
          ...(ending.exitCode !== undefined && { exitCode: ending.exitCode }),
          ...(ending.containerReason !== undefined && { reason: ending.containerReason }),
        },
      ],
    }
  })
}
