import { functionOf } from './functions.ts'
import { functions } from '../shared/manifest/index.ts'
import { named, pascal } from './names.ts'
import { deadLetterQueue } from './queues.ts'
import { trustedBy } from './trust.ts'

/** Where a tick goes that could not be delivered. */
export const deadSchedules = deadLetterQueue('schedules')

for (const { name, trigger } of functions)
  if (trigger.kind === 'schedule') schedule(name, trigger.everyMinutes)

function schedule(name: string, everyMinutes: number): void {
  const lambda = functionOf(name)
  new aws.scheduler.Schedule(`${pascal(name)}Schedule`, {
    name: named(name),
    scheduleExpression: everyMinutes === 1 ? 'rate(1 minute)' : `rate(${everyMinutes} minutes)`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: lambda.arn,
      roleArn: invoker(name, lambda.arn).arn,
      input: JSON.stringify({
        id: '<aws.scheduler.execution-id>',
        time: '<aws.scheduler.scheduled-time>',
        schedule: '<aws.scheduler.schedule-arn>',
      }),
      // A tick that is older than the next one is of no use.
      retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: everyMinutes * 60 },
      deadLetterConfig: { arn: deadSchedules.arn },
    },
  })
}

/** The role of one schedule: it may call that function and leave a dead letter. */
function invoker(name: string, functionArn: $util.Input<string>): aws.iam.Role {
  return new aws.iam.Role(`${pascal(name)}ScheduleRole`, {
    name: named(`${name}-schedule`),
    assumeRolePolicy: trustedBy('scheduler.amazonaws.com', { ofThisAccount: true }),
    inlinePolicies: [
      {
        name: 'tick',
        policy: aws.iam.getPolicyDocumentOutput({
          statements: [
            { actions: ['lambda:InvokeFunction'], resources: [functionArn] },
            { actions: ['sqs:SendMessage'], resources: [deadSchedules.arn] },
          ],
        }).json,
      },
    ],
  })
}
