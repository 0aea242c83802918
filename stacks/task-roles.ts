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
          ...pullStatements(agentImage),
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

/** A public image needs no permission; one in this account's registry does. */
function pullStatements(reference: string): aws.types.input.iam.GetPolicyDocumentStatementArgs[] {
  const parts = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com\/([^:@]+)/.exec(reference)
  if (parts === null) return []
  const [, account, region, repository] = parts
  return [
    {
      actions: [
        'ecr:BatchCheckLayerAvailability',
        'ecr:BatchGetImage',
        'ecr:GetDownloadUrlForLayer',
      ],
      resources: [`arn:aws:ecr:${region}:${account}:repository/${repository}`],
    },
    // This action knows no resource: the token is for the whole registry.
    { actions: ['ecr:GetAuthorizationToken'], resources: ['*'] },
  ]
}
