import type { Operation } from '../wire/operation.ts'
import { describeClusters } from './describe-clusters.ts'
import { describeTaskDefinition } from './describe-task-definition.ts'
import { describeTasks } from './describe-tasks.ts'
import { listTasks } from './list-tasks.ts'
import { registerTaskDefinition } from './register-task-definition.ts'
import { runTask } from './run-task.ts'
import { stopTask } from './stop-task.ts'
import { tagResource } from './tag-resource.ts'

/** The ECS operations that the engine supports, by their API names. */
export const operations: ReadonlyMap<string, Operation> = new Map([
  ['DescribeClusters', describeClusters],
  ['DescribeTaskDefinition', describeTaskDefinition],
  ['DescribeTasks', describeTasks],
  ['ListTasks', listTasks],
  ['RegisterTaskDefinition', registerTaskDefinition],
  ['RunTask', runTask],
  ['StopTask', stopTask],
  ['TagResource', tagResource],
])
