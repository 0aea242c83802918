import { hash } from 'node:crypto'
import { findDefinition, type TaskDefinition } from '../definitions/store.ts'
import { type Engine, idOf } from '../engine.ts'
import { launch } from '../lifecycle/launch.ts'
import { newTask } from '../tasks/create.ts'
import { runTaskInput, type RunTaskInput } from '../tasks/request.ts'
import { countLive, findByToken, insertTask } from '../tasks/store.ts'
import { toWire, type Task } from '../tasks/task.ts'
import { canonicalJson } from '../wire/canonical.ts'
import { requireCluster } from '../wire/cluster.ts'
import { Fault } from '../wire/fault.ts'
import { operation } from '../wire/operation.ts'

/** The API's limit for all overrides as JSON, with its error message. */
const longestOverrides = 8192

/**
 * Starts tasks. Stores them with their client token before anything runs. Tasks beyond the capacity are returned in
 * `failures`.
 */
export const runTask = operation(runTaskInput, (engine, input) => {
  requireCluster(engine, input.cluster)
  const { clientToken = null, ...parameters } = input
  const request = hash('sha256', canonicalJson(parameters))
  const earlier = clientToken === null ? undefined : findByToken(engine.store, clientToken)
  if (earlier) return replay(earlier, request)

  const definition = findDefinition(engine.store, input.taskDefinition)
  requireContainer(definition, input)
  requireRoom(input)
  requireOneWay(input)
  const room = isWithoutSpot(engine, input)
    ? 0
    : Math.max(0, engine.capacity() - countLive(engine.store))
  const tasks = Array.from({ length: Math.min(input.count, room) }, () =>
    newTask(engine, definition, input),
  )
  engine.store.transaction(() => {
    for (const task of tasks) {
      insertTask(engine, { task, family: definition.family, clientToken, request })
    }
  })
  for (const task of tasks) launch(engine, idOf(task.taskArn))
  const failures = Array.from({ length: input.count - tasks.length }, () => ({
    reason: 'Capacity is unavailable at this time. Please try again later.',
  }))
  return { tasks: tasks.map(toWire), failures }
})

function replay(earlier: { request: string; tasks: Task[] }, request: string): object {
  if (earlier.request === request) return { tasks: earlier.tasks.map(toWire), failures: [] }
  throw new Fault('ConflictException', 'The client token was used with other parameters.', {
    resourceIds: earlier.tasks.map((task) => task.taskArn),
  })
}

function requireContainer(definition: TaskDefinition, input: RunTaskInput): void {
  const { name } = definition.containerDefinitions[0]
  const unknownOverride = input.overrides.containerOverrides.find(
    (override) => override.name !== name,
  )
  if (!unknownOverride) return
  throw new Fault(
    'InvalidParameterException',
    `Override for container named ${unknownOverride.name} is not a container in the TaskDefinition.`,
  )
}

function requireOneWay({ launchType, capacityProviderStrategy }: RunTaskInput): void {
  if (launchType === undefined || capacityProviderStrategy === undefined) return
  throw new Fault(
    'InvalidParameterException',
    'Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.',
  )
}

function isWithoutSpot(engine: Engine, { capacityProviderStrategy = [] }: RunTaskInput): boolean {
  const providers = capacityProviderStrategy.map(({ capacityProvider }) => capacityProvider)
  return providers.includes('FARGATE_SPOT') && engine.trouble().noSpot === true
}

function requireRoom({ overrides }: RunTaskInput): void {
  if (JSON.stringify(overrides).length <= longestOverrides) return
  const text = `Container Overrides length must be at most ${longestOverrides}`
  throw new Fault('InvalidParameterException', text)
}
