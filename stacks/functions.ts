import { environmentOf } from './environment.ts'
import type { FunctionSpec } from '../shared/manifest/index.ts'
import { functionArn, named, pascal } from './names.ts'
import { functionsGroup, vpc } from './network.ts'
import { networkStatements, permissionsOf } from './permissions.ts'
import { lambdas } from './placement.ts'
import { secretOf } from './secrets.ts'
import { trustedBy } from './trust.ts'
import { workspace } from './workspace.ts'

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
    streaming: spec.trigger.kind === 'http' && spec.trigger.streaming === true,
    environment: environmentOf(spec),
    link: spec.secrets.map(secretOf),
    permissions: [
      ...permissionsOf(spec, logs.arn),
      ...(group === undefined ? [] : networkStatements(functionArn(name))),
    ],
    // A tick that failed is not repeated: the next one comes in a minute.
    ...(spec.trigger.kind === 'schedule' && { retries: 0 }),
    logging: { logGroup: logs.name },
    ...(group !== undefined && {
      vpc: { privateSubnets: vpc.privateSubnets, securityGroups: [group.id] },
    }),
    ...(spec.grants.some((grant) => 'files' in grant) &&
      workspace !== undefined && {
        volume: { efs: workspace.mountableArn, path: workspace.path },
      }),
    transform: {
      // The component trusts the whole account, and its managed policies allow every log and every interface.
      role: {
        name,
        assumeRolePolicy: trustedBy('lambda.amazonaws.com'),
        managedPolicyArns: [],
      },
    },
  })
}
