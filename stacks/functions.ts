import { environmentOf } from './environment.ts'
import { usualQuota, type FunctionSpec } from '../shared/manifest/index.ts'
import { functionArn, named, pascal } from './names.ts'
import { functionsGroup, vpc } from './network.ts'
import { networkStatements, permissionsOf } from './permissions.ts'
import { lambdas } from './placement.ts'
import { secretOf } from './secrets.ts'
import { trustedBy } from './trust.ts'
import { workspace } from './workspace.ts'

/** How many instances of functions this account may have at once: a young one has 10, the usual one 1,000. */
const quota = aws.servicequotas.getServiceQuotaOutput({
  serviceCode: 'lambda',
  quotaCode: 'L-B99A9384',
}).value

/** Lambda refuses reservations that leave less than 100 to all others, so a small account has none: -1. */
const reservedOf = (reserved: number): $util.Output<number> =>
  quota.apply((most) => (most >= usualQuota ? reserved : -1))

/** One Lambda a manifest function that is no worker in this stage, deploying exactly the bundle that also runs on one machine. */
export const functions = new Map(lambdas.map((spec) => [spec.name, lambda(spec)]))

/** The Lambda of that name. @throws Error when this stage has none */
export function functionOf(name: string): sst.aws.Function {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`${name} is no Lambda of this stage`)
  return found
}

/** The security group of a function in the VPC, which it is in for its files or for agents; undefined outside. */
function groupOf({ vpc, grants }: FunctionSpec): aws.ec2.SecurityGroup | undefined {
  if (grants.some((grant) => 'files' in grant)) return workspace?.securityGroup
  return vpc === true ? functionsGroup : undefined
}

function lambda(spec: FunctionSpec): sst.aws.Function {
  const name = named(spec.name)
  const group = groupOf(spec)
  const logs = new aws.cloudwatch.LogGroup(`${pascal(spec.name)}Logs`, {
    name: `/aws/lambda/${name}`,
    retentionInDays: 30,
  })
  return new sst.aws.Function(pascal(spec.name), {
    name,
    description: spec.entry,
    bundle: `dist/functions/${spec.name}`,
    handler: 'index.handler',
    runtime: 'nodejs24.x',
    architecture: 'arm64',
    memory: `${spec.memoryMb} MB`,
    timeout: `${spec.timeoutSeconds} seconds`,
    // Each deployment that changes it leaves a version, and each release moves its alias to one: aliases.ts.
    versioning: true,
    ...(spec.reserved !== undefined && { concurrency: { reserved: reservedOf(spec.reserved) } }),
    streaming: spec.trigger.kind === 'http' && spec.trigger.streaming === true,
    environment: environmentOf(spec),
    link: spec.secrets.map(secretOf),
    permissions: [
      ...permissionsOf(spec, logs.arn),
      ...(group === undefined ? [] : networkStatements(functionArn(name))),
    ],
    logging: { logGroup: logs.name },
    ...(group !== undefined && {
      vpc: { privateSubnets: vpc.privateSubnets, securityGroups: [group.id] },
    }),
    ...(spec.grants.some((grant) => 'files' in grant) &&
      workspace !== undefined && {
        volume: { efs: workspace.mountableArn, path: workspace.path },
      }),
    transform: {
      // Lambda would print START, END and REPORT at each invocation, a quarter of what a read's log takes in. Only the JSON
      // format has a level for them; at WARN Lambda still prints what fails. It wraps what goes through the console, and the
      // log goes past it (shared/platform/log.ts), so metrics in its lines are found:
      // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
      function: {
        loggingConfig: { logFormat: 'JSON', logGroup: logs.name, systemLogLevel: 'WARN' },
      },
      // The component trusts the whole account, and its managed policies allow every log and every interface.
      role: {
        name,
        assumeRolePolicy: trustedBy('lambda.amazonaws.com'),
        managedPolicyArns: [],
      },
    },
  })
}
