import { functions } from '#shared/manifest/index.ts'
import { aliasOf } from './aliases.ts'
import { named, namedGlobally, pascal } from './names.ts'
import { deadLetterQueue } from './queues.ts'
import { trustedBy } from './trust.ts'

/** Receives ticks that could not be delivered. */
export const deadSchedules = deadLetterQueue('schedules')

/** Lambda's maximum: https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html */
const longestEventAge = 21_600

for (const { name, trigger } of functions)
  if (trigger.kind === 'schedule') schedule(name, trigger.everyMinutes)

function schedule(name: string, everyMinutes: number): void {
  const { arn, functionName, name: qualifier } = aliasOf(name)
  // A failed tick is not retried, because the next one comes within a minute.
  new aws.lambda.FunctionEventInvokeConfig(`${pascal(name)}EventInvokeConfig`, {
    functionName,
    qualifier,
    maximumRetryAttempts: 0,
    // Without a limit, Lambda keeps throttled ticks for six hours and then delivers all of them.
    maximumEventAgeInSeconds: Math.min(everyMinutes * 60, longestEventAge),
  })
  new aws.scheduler.Schedule(`${pascal(name)}Schedule`, {
    name: named(name),
    scheduleExpression: everyMinutes === 1 ? 'rate(1 minute)' : `rate(${everyMinutes} minutes)`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn,
      roleArn: invoker(name, arn).arn,
      input: JSON.stringify({
        id: '<aws.scheduler.execution-id>',
        time: '<aws.scheduler.scheduled-time>',
        schedule: '<aws.scheduler.schedule-arn>',
      }),
      // A tick is useless after the next one is due.
      retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: everyMinutes * 60 },
      deadLetterConfig: { arn: deadSchedules.arn },
    },
  })
}

/** The role of one schedule: it may invoke the function's live alias and send a dead letter. */
function invoker(name: string, aliasArn: $util.Input<string>): aws.iam.Role {
  return new aws.iam.Role(`${pascal(name)}ScheduleRole`, {
    name: namedGlobally(`${name}-schedule`),
    assumeRolePolicy: trustedBy('scheduler.amazonaws.com', { ofThisAccount: true }),
    inlinePolicies: [
      {
        name: 'tick',
        policy: aws.iam.getPolicyDocumentOutput({
          statements: [
            { actions: ['lambda:InvokeFunction'], resources: [aliasArn] },
            { actions: ['sqs:SendMessage'], resources: [deadSchedules.arn] },
          ],
        }).json,
      },
    ],
  })
}
