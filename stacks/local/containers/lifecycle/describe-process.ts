import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { variablesOf, type ContainerDefinition } from '../definitions/container.ts'
import { idOf, type Engine } from '../engine.ts'
import { taskVariable } from '../processes/kill.ts'
import type { ProcessSpec } from '../processes/start.ts'
import type { Task } from '../tasks/task.ts'

/** Returns the persistent folder: one per `startedBy`, else the task's own. */
export function volumeOf(engine: Engine, task: Task): string {
  return join(engine.dir, 'volumes', task.startedBy ?? idOf(task.taskArn))
}

/**
 * Returns the process of a task: the definition's command and environment with the task's overrides. Of the engine's
 * own environment, only PATH is passed on. HOME is the volume, and the time zone is UTC.
 */
export function describeProcess(
  engine: Engine,
  task: Task,
  definition: ContainerDefinition,
  port: number,
): ProcessSpec {
  const [override] = task.overrides.containerOverrides
  const variables = variablesOf(definition)
  const volume = volumeOf(engine, task)
  mkdirSync(volume, { recursive: true, mode: 0o700 })
  const entries = [...definition.environment, ...(override?.environment ?? [])]
  return {
    command:
      override?.command ?? engine.images.get(definition.image)?.command ?? definition.command,
    cwd: definition.workingDirectory ?? volume,
    env: {
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: volume,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      ...Object.fromEntries(entries.map(({ name, value }) => [name, value])),
      [variables.port]: String(port),
      [variables.volume]: volume,
      [taskVariable]: task.taskArn,
    },
  }
}
