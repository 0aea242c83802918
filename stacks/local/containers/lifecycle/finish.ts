import type { Engine } from '../engine.ts'
import { changeTask } from '../tasks/store.ts'
import type { StopCode, Task } from '../tasks/task.ts'

/** How a task ended. */
export interface Ending {
  code: StopCode
  reason: string
  exitCode?: number
  /** What went wrong with the container itself. */
  containerReason?: string
}

/** Marks a task STOPPED. A stop code and reason that it was asked to stop with stay. */
export function finishTask(engine: Engine, id: string, ending: Ending): Task {
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
