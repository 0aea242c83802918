import { cluster, taskDefinitions } from './containers.ts'
import type { Grant } from '../shared/manifest/index.ts'
import type { Statement } from './statement.ts'
import { executionRole, taskRole } from './task-roles.ts'

type Text = $util.Input<string>
type Access = Extract<Grant, { containers: string }>['containers']

/** What a grant of containers comes to. */
export function onContainers(access: Access): Statement[] {
  return statements[access]()
}

const clusterArn = cluster.nodes.cluster.arn
const inCluster = { test: 'ArnEquals', variable: 'ecs:cluster', values: [clusterArn] }

/** The ARN pattern of everything of a kind in the cluster. */
const ofCluster = (kind: 'task' | 'container-instance') =>
  clusterArn.apply((arn) => `${arn.replace(':cluster/', `:${kind}/`)}/*`)

/** Any revision: an agent may be started again while a deployment registers the next one. */
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

/** A plan's family as a request names it, and every revision of it. */
const ownDefinitions = (family: Text) => [family, $interpolate`${family}:*`]

const statements: Record<Access, () => Statement[]> = {
  run: () => [
    ...starting(
      taskDefinitions.flatMap(({ arnWithoutRevision: family }) => [
        ...ownDefinitions(family),
        // Its copies with other images.
        $interpolate`${family}-*:*`,
      ]),
    ),
    {
      // Neither knows a resource. What is registered runs only under the names above, and with no roles but those above.
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
      // What ECS checks for it, on Fargate too, is the container instances of the cluster.
      resources: [ofCluster('container-instance')],
      conditions: [inCluster],
    },
  ],
  look: () => [{ actions: ['ecs:DescribeClusters'], resources: [clusterArn] }],
}
