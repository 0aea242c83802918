import * as z from 'zod'
import { idOf } from '../engine.ts'
import { requestStop } from '../lifecycle/stop.ts'
import { findTask } from '../tasks/store.ts'
import { toWire } from '../tasks/task.ts'
import { cluster, requireCluster } from '../wire/cluster.ts'
import { Fault } from '../wire/fault.ts'
import { operation } from '../wire/operation.ts'

const schema = z.object({
  cluster,
  task: z.string(),
  reason: z.string().max(1024).default('Task stopped by user'),
})

/** Starts to stop a task. A task that is stopping or stopped keeps its first reason. */
export const stopTask = operation(schema, (engine, input) => {
  requireCluster(engine, input.cluster)
  const task = findTask(engine.store, idOf(input.task))
  if (!task) throw new Fault('InvalidParameterException', 'The referenced task was not found.')
  return { task: toWire(requestStop(engine, task, 'UserInitiated', input.reason)) }
})
