import type { FunctionSpec } from '#shared/manifest/index.ts'
import { canary, tickCanary } from '#shared/manifest/releases.ts'
import { alarmNamed } from './alarm.ts'
import { failingMessages, slowApis } from './alarms.ts'
import { aliasOf } from './aliases.ts'
import { errorAlarmsOf } from './error-alarms.ts'
import { functionArn, named, namedGlobally, pascal } from './names.ts'
import { lambdas } from './placement.ts'
import { trustedBy } from './trust.ts'

/**
 * Moves aliases from one version to the next when `npm run release` asks for it (ops/release), and back if an alarm
 * fires during the release. Each function has its own deployment group, because a group runs one deployment at a time.
 */
const application = new aws.codedeploy.Application('Releases', {
  name: named('releases'),
  computePlatform: 'Lambda',
})

const shares = {
  calls: shareOf('Canary', canary),
  ticks: shareOf('TickCanary', tickCanary),
}

const role = mover()

for (const spec of lambdas) group(spec)

function group({ name, trigger }: FunctionSpec): void {
  new aws.codedeploy.DeploymentGroup(
    `${pascal(name)}Release`,
    {
      appName: application.name,
      deploymentGroupName: name,
      serviceRoleArn: role.arn,
      deploymentConfigName: (trigger.kind === 'schedule' ? shares.ticks : shares.calls).id,
      deploymentStyle: {
        deploymentType: 'BLUE_GREEN',
        deploymentOption: 'WITH_TRAFFIC_CONTROL',
      },
      alarmConfiguration: { enabled: true, alarms: watchedBy(name, trigger) },
      autoRollbackConfiguration: {
        enabled: true,
        events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
      },
    },
    { dependsOn: aliasOf(name) },
  )
}

/**
 * Returns the alarms that stop a function's release. Errors of the previous version, or of other functions that share
 * an alarm, also trigger it; the release must then be repeated. AWS bills an alarm by its metrics, so alarms per
 * version would cost twice as much.
 */
function watchedBy(name: string, trigger: FunctionSpec['trigger']): $util.Output<string>[] {
  const names = [...errorAlarmsOf(name)]
  if (trigger.kind === 'queue') names.push(failingMessages)
  if (trigger.kind === 'http' && trigger.streaming !== true) names.push(slowApis[trigger.surface])
  return names.map((alarm) => alarmNamed(alarm).name)
}

function shareOf(
  name: string,
  { percent, minutes }: typeof canary,
): aws.codedeploy.DeploymentConfig {
  return new aws.codedeploy.DeploymentConfig(name, {
    deploymentConfigName: named(`${percent}-percent-${minutes}-minutes`),
    computePlatform: 'Lambda',
    trafficRoutingConfig: {
      type: 'TimeBasedCanary',
      timeBasedCanary: { percentage: percent, interval: minutes },
    },
  })
}

/** The role of CodeDeploy: it moves the aliases of this stage and reads alarms, nothing else. */
function mover(): aws.iam.Role {
  return new aws.iam.Role('ReleaseRole', {
    name: namedGlobally('release'),
    // Without a condition on the account: AWS documents none for CodeDeploy, and without its key every move would fail.
    assumeRolePolicy: trustedBy('codedeploy.amazonaws.com'),
    inlinePolicies: [
      {
        name: 'move',
        policy: aws.iam.getPolicyDocumentOutput({
          statements: [
            {
              actions: [
                'lambda:GetAlias',
                'lambda:GetProvisionedConcurrencyConfig',
                'lambda:UpdateAlias',
              ],
              // A prefix, because a policy has no room for all names.
              resources: [functionArn(named('*'))],
            },
            // CodeDeploy describes all alarms, not only the deployment group's.
            { actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] },
          ],
        }).json,
      },
    ],
  })
}
