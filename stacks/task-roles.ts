import { pullStatements } from './images.ts'
import { named } from './names.ts'
import { trustedBy } from './trust.ts'

/** The image of agent/image/Dockerfile, wherever it was pushed to. */
export const agentImage = image()

export const agentLogs = new aws.cloudwatch.LogGroup('AgentLogs', {
  name: `/aws/ecs/${named('agents')}`,
  retentionInDays: 30,
})

/** What an agent may do on AWS: nothing. It is the user's code, so the role exists only to be empty. */
export const taskRole = new aws.iam.Role('AgentTaskRole', {
  name: named('agent-task'),
  assumeRolePolicy: trustedBy('ecs-tasks.amazonaws.com', { ofThisAccount: true }),
})

/** What ECS does before an agent starts: fetch its image and open its log. */
export const executionRole = new aws.iam.Role('AgentExecutionRole', {
  name: named('agent-execution'),
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
  const given = process.env.AGENT_IMAGE
  if (given === undefined || given === '')
    throw new Error('AGENT_IMAGE is not set: build agent/image/Dockerfile, push it, and name it')
  return given
}
