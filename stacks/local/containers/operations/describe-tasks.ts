import * as z from 'zod'
import { arn, idOf } from '../engine.ts'
import { findTask } from '../tasks/store.ts'
import { toWire } from '../tasks/task.ts'
import { cluster, requireCluster } from '../wire/cluster.ts'
import { operation } from '../wire/operation.ts'

const schema = z.object({
  cluster,
  tasks: z.array(z.string()).min(1).max(100),
  include: z.array(z.enum(['TAGS'])).default([]),
})

/** Returns tasks by ARN or id. Unknown tasks are failures with the reason MISSING. */
export const describeTasks = operation(schema, (engine, input) => {
  requireCluster(engine, input.cluster)
  const tasks: object[] = []
  const failures: object[] = []
  for (const name of input.tasks) {
    const task = findTask(engine.store, idOf(name))
    if (!task) {
      const missing = arn(engine, `task/${engine.cluster}/${idOf(name)}`)
      failures.push({ arn: missing, reason: 'MISSING' })
    } else {
      tasks.push(toWire(input.include.includes('TAGS') ? task : { ...task, tags: [] }))
    }
  }
  return { tasks, failures }
})
