import {
  DescribeTasksCommand,
  ECSClient,
  ClusterNotFoundException,
  paginateListTasks,
  StopTaskCommand,
} from '@aws-sdk/client-ecs'
import {
  GetFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda'
import { functions } from '#shared/manifest/index.ts'
import { nameAtAws } from '../stage/settings.ts'

/** The maximum number of tasks that DescribeTasks accepts. */
const batchSize = 100

const starters = functions.filter(({ grants }) =>
  grants.some((grant) => 'containers' in grant && grant.containers.startsWith('run')),
)

/**
 * Reserves no concurrency for each function that may start tasks, so that Lambda rejects every invocation of it, at any
 * version: agents' starts, repairs and the warm pool. KILL_SWITCH would need a deployment and a release.
 * @returns the number of functions, without the ones that do not exist any more
 */
export async function closeStarters(stage: string): Promise<number> {
  const found = await ofStarters(stage, (lambda, FunctionName) =>
    lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }),
    ),
  )
  return found.length
}

/** Returns true if an earlier call of `closeStarters` took effect, or no such function exists any more. */
export async function areStartersClosed(stage: string): Promise<boolean> {
  const found = await ofStarters(stage, (lambda, FunctionName) =>
    lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })),
  )
  return found.every(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions === 0)
}

interface Concurrency {
  ReservedConcurrentExecutions?: number | undefined
}

/** Asks Lambda about each function that may start tasks. @returns the responses for the ones that exist */
async function ofStarters(
  stage: string,
  ask: (lambda: LambdaClient, functionName: string) => Promise<Concurrency>,
): Promise<Concurrency[]> {
  const lambda = new LambdaClient({})
  const responses = await Promise.all(
    starters.map(({ name }) =>
      ask(lambda, nameAtAws(stage, name)).catch((error: unknown) => {
        if (error instanceof ResourceNotFoundException) return undefined
        throw error
      }),
    ),
  )
  return responses.filter((response) => response !== undefined)
}

/**
 * Stops the tasks of a stage's cluster that no service replaces: agents and warm containers.
 * @returns the number of tasks that are still running or stopping; 0 if the cluster does not exist
 */
export async function stopTasks(stage: string): Promise<number> {
  const ecs = new ECSClient({})
  const cluster = nameAtAws(stage, 'agents')
  try {
    const running = await tasksOf(ecs, cluster, 'RUNNING')
    for (const task of running)
      await ecs.send(new StopTaskCommand({ cluster, task, reason: 'The stage is being removed' }))
    // A stopped task belongs to the cluster until its containers have ended, which takes up to two minutes.
    return (await tasksOf(ecs, cluster, 'STOPPED')).length
  } catch (error) {
    if (error instanceof ClusterNotFoundException) return 0
    throw error
  }
}

/** Returns the ARNs of tasks that have this desired status and have not ended, without the tasks of services. */
async function tasksOf(
  client: ECSClient,
  cluster: string,
  desiredStatus: 'RUNNING' | 'STOPPED',
): Promise<string[]> {
  const found: string[] = []
  const pages = paginateListTasks({ client, pageSize: batchSize }, { cluster, desiredStatus })
  for await (const { taskArns = [] } of pages) {
    if (taskArns.length === 0) continue
    const { tasks = [] } = await client.send(new DescribeTasksCommand({ cluster, tasks: taskArns }))
    for (const { taskArn, lastStatus, group } of tasks)
      if (taskArn !== undefined && lastStatus !== 'STOPPED' && !group?.startsWith('service:'))
        found.push(taskArn)
  }
  return found
}
