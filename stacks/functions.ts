import {
  functions as declared,
  functionsInLoops,
  type FunctionSpec,
  usualQuota,
} from '#shared/manifest/index.ts'
import { environmentOf } from './environment.ts'
import { functionArn, named, namedGlobally, pascal } from './names.ts'
import { functionsGroup, vpc } from './network.ts'
import { networkStatements, permissionsOf } from './permissions.ts'
import { lambdas } from './placement.ts'
import { secretOf } from './secrets.ts'
import { reservesConcurrency } from './stage.ts'
import { trustedBy } from './trust.ts'
import { workspace } from './workspace.ts'

/** The account's limit of concurrent Lambda instances: 10 in a new account, usually 1,000. */
const quota = aws.servicequotas.getServiceQuotaOutput({
  serviceCode: 'lambda',
  quotaCode: 'L-B99A9384',
}).value

const reserves = reservesConcurrency($app.stage, process.env.RESERVE)

/** Lambda rejects reservations that leave less than 100 for all others, so a small account reserves none: -1. */
const reservedOf = (reserved: number): $util.Output<number> =>
  quota.apply((most) => (reserves && most >= usualQuota ? reserved : -1))

/** A Lambda function for each manifest function that is neither a worker nor a service here, from the same bundle that runs locally. */
export const functions = new Map(lambdas.map((spec) => [spec.name, lambda(spec)]))

const looping = functionsInLoops(declared)

// Lambda would stop these functions' chains of delayed messages. Rows bound their loops: turns, deadlines and leases.
for (const [name, { name: functionName }] of functions)
  if (looping.has(name))
    new aws.lambda.FunctionRecursionConfig(`${pascal(name)}Recursion`, {
      functionName,
      recursiveLoop: 'Allow',
    })

/** Returns the Lambda function with this name. @throws Error if this stage does not have it */
export function functionOf(name: string): sst.aws.Function {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`${name} is not a Lambda function in this stage`)
  return found
}

/** Returns the security group of a function in the VPC, which it needs for its files or for agents; undefined outside. */
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
    // Each deployment that changes the function creates a version, and a release moves its alias there: aliases.ts.
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
      // Lambda would print START, END and REPORT for each invocation, a quarter of a read's log volume. Only the JSON format
      // has a level for them; at WARN Lambda still prints failures. It wraps console output, but our log bypasses the console
      // (shared/platform/log.ts), so metrics in its lines are found:
      // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
      function: {
        loggingConfig: { logFormat: 'JSON', logGroup: logs.name, systemLogLevel: 'WARN' },
      },
      // SST's default role trusts the whole account, and its managed policies allow all logs and network interfaces.
      role: {
        name: namedGlobally(spec.name),
        assumeRolePolicy: trustedBy('lambda.amazonaws.com'),
        managedPolicyArns: [],
      },
    },
  })
}
