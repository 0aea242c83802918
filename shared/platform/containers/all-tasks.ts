import { DescribeTasksCommand, ECSClient, paginateListTasks } from '@aws-sdk/client-ecs'
import type { Task } from './port.ts'
import { ecsTask } from './task.ts'

/**
 * The tasks of the cluster with desired status RUNNING, at most 100 per page. A recently started task may be missing.
 */
export type TaskPages = () => AsyncIterable<Task[]>

/**
 * Reads every task with ECS's ListTasks and DescribeTasks, two requests a page. ECS limits the reads per second of an
 * account, and other clients need that rate too, so the client slows down after a throttling error.
 * @param endpoint an ECS endpoint other than AWS's
 */
export function taskPages(cluster: string, endpoint: string | undefined): TaskPages {
  const client = new ECSClient({
    ...(endpoint !== undefined && { endpoint }),
    retryMode: 'adaptive',
    maxAttempts: 10,
  })
  return async function* pages() {
    for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster })) {
      if (taskArns.length === 0) continue
      const command = new DescribeTasksCommand({ cluster, tasks: taskArns })
      const { tasks = [] } = await client.send(command)
      yield tasks.map((task) => ecsTask.parse(task))
    }
  }
}
