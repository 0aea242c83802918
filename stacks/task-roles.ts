import { pullStatements } from './images.ts'
import { named, namedGlobally } from './names.ts'
import { trustedBy } from './trust.ts'

/** The image built from agent/image/Dockerfile. */
export const agentImage = image()

export const agentLogs = new aws.cloudwatch.LogGroup('AgentLogs', {
  name: `/aws/ecs/${named('agents')}`,
  retentionInDays: 30,
})

/** The role of agents on AWS. It allows nothing, because agents run the user's code. */
export const taskRole = new aws.iam.Role('AgentTaskRole', {
  name: namedGlobally('agent-task'),
  assumeRolePolicy: trustedBy('ecs-tasks.amazonaws.com', { ofThisAccount: true }),
})

/** The role that ECS uses to pull the image and open the log before an agent starts. */
export const executionRole = new aws.iam.Role('AgentExecutionRole', {
  name: namedGlobally('agent-execution'),
  assumeRolePolicy: trustedBy('ecs-tasks.amazonaws.com', { ofThisAccount: true }),
  inlinePolicies: [
    {
      name: 'start',
      policy: aws.iam.getPolicyDocumentOutput({
        statements: [
          {
            actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            resources: [$interpolate`${agentLogs.arn}:*`],
          },
          ...[...new Set([agentImage, process.env.AGENT_IMAGE_NEXT ?? ''])].flatMap(pullStatements),
        ],
      }).json,
    },
  ],
})

function image(): string {
  const reference = process.env.AGENT_IMAGE
  if (reference === undefined || reference === '')
    throw new Error(
      'AGENT_IMAGE is not set: build agent/image/Dockerfile, push the image, and set AGENT_IMAGE to it',
    )
  return reference
}
