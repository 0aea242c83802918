import type { Grant } from '#shared/manifest/index.ts'
import { cluster, taskDefinitions } from './containers.ts'
import type { Statement } from './statement.ts'
import { executionRole, taskRole } from './task-roles.ts'

type Text = $util.Input<string>
type Access = Extract<Grant, { containers: string }>['containers']

/** Returns the statements of a grant for containers. */
export function onContainers(access: Access): Statement[] {
  return statements[access]()
}

const clusterArn = cluster.nodes.cluster.arn
const inCluster = { test: 'ArnEquals', variable: 'ecs:cluster', values: [clusterArn] }

/** Returns the ARN pattern of all resources of a kind in the cluster. */
const ofCluster = (kind: 'task' | 'container-instance') =>
  clusterArn.apply((arn) => `${arn.replace(':cluster/', `:${kind}/`)}/*`)

/** Allows every revision, because an agent may be started while a deployment registers the next one. */
function starting(definitions: Text[]): Statement[] {
  return [
    { actions: ['ecs:RunTask'], resources: definitions, conditions: [inCluster] },
    {
      actions: ['ecs:TagResource'],
      resources: [ofCluster('task')],
      conditions: [{ test: 'StringEquals', variable: 'ecs:CreateAction', values: ['RunTask'] }],
    },
    {
      actions: ['iam:PassRole'],
      resources: [executionRole.arn, taskRole.arn],
      conditions: [
        {
          test: 'StringEquals',
          variable: 'iam:PassedToService',
          values: ['ecs-tasks.amazonaws.com'],
        },
      ],
    },
  ]
}

/** Returns a plan's family, as requests name it, and all its revisions. */
const ownDefinitions = (family: Text) => [family, $interpolate`${family}:*`]

const statements: Record<Access, () => Statement[]> = {
  run: () => [
    ...starting(
      taskDefinitions.flatMap(({ arnWithoutRevision: family }) => [
        ...ownDefinitions(family),
        // Families with other images.
        $interpolate`${family}-*:*`,
      ]),
    ),
    {
      // These actions support no resources. A registered definition can only run under the names and roles above.
      actions: ['ecs:DescribeTaskDefinition', 'ecs:RegisterTaskDefinition'],
      resources: ['*'],
    },
  ],
  'run-plans': () =>
    starting(taskDefinitions.flatMap(({ arnWithoutRevision: family }) => ownDefinitions(family))),
  stop: () => [
    { actions: ['ecs:StopTask'], resources: [ofCluster('task')], conditions: [inCluster] },
  ],
  describe: () => [
    { actions: ['ecs:DescribeTasks'], resources: [ofCluster('task')], conditions: [inCluster] },
    {
      actions: ['ecs:ListTasks'],
      // ECS checks this action on the cluster's container instances, also on Fargate.
      resources: [ofCluster('container-instance')],
      conditions: [inCluster],
    },
  ],
  look: () => [{ actions: ['ecs:DescribeClusters'], resources: [clusterArn] }],
}
