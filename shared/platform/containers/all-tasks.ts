import { DescribeTasksCommand, ECSClient, paginateListTasks } from '@aws-sdk/client-ecs'
import type { Task } from './port.ts'
import { ecsTask } from './task.ts'

/** The tasks of the cluster that are wanted to run, a hundred a page. A task that was started just now may be missing. */
export type TaskPages = () => AsyncIterable<Task[]>

/**
 * Every task by ECS's ListTasks and DescribeTasks, two requests a page. ECS lets an account read so many times a second, which
 * others need too: the client goes slower by itself once it is refused.
 * @param endpoint another engine than AWS's own
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
