import { urls } from './addresses.ts'
import { cluster, taskFamilyPrefix } from './containers.ts'
import { functions as specs, queueVariable } from '../shared/manifest/index.ts'
import type { FunctionSpec, SettingName } from '../shared/manifest/index.ts'
import { named, pascal } from './names.ts'
import { agentsGroup, functionsGroup, vpc } from './network.ts'
import { networkStatements, permissionsOf } from './permissions.ts'
import { queues } from './queues.ts'
import { secretOf } from './secrets.ts'
import { table } from './storage.ts'
import { agentImage, agentLogs } from './task-roles.ts'
import { trustedBy } from './trust.ts'

/** One Lambda a manifest function, deploying exactly the bundle that also runs on one machine. */
export const functions = new Map(specs.map((spec) => [spec.name, lambda(spec)]))

/** The function of that name. @throws Error when the manifest has none */
export function functionOf(name: string): sst.aws.Function {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`the manifest names no function ${name}`)
  return found
}

function lambda(spec: FunctionSpec): sst.aws.Function {
  const name = named(spec.name)
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
      ...(spec.vpc === true ? networkStatements(arnOf(name)) : []),
    ],
    // A tick that failed is not repeated: the next one comes in a minute.
    ...(spec.trigger.kind === 'schedule' && { retries: 0 }),
    logging: { logGroup: logs.name },
    ...(spec.vpc === true && {
      vpc: { privateSubnets: vpc.privateSubnets, securityGroups: [functionsGroup.id] },
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

/** The variables of a function: who it is, where its engines are, and the settings that the manifest lists for it. */
function environmentOf(spec: FunctionSpec): Record<string, $util.Input<string>> {
  const { grants, trigger } = spec
  const variables: Record<string, $util.Input<string>> = {
    PLATFORM_STAGE: $app.stage,
    FUNCTION_NAME: spec.name,
  }
  if (grants.some((grant) => 'table' in grant)) variables.TABLE_NAME = table.name
  const reachable = grants.flatMap((grant) => {
    if ('send' in grant) return [grant.send]
    return 'look' in grant ? [grant.look] : []
  })
  if (trigger.kind === 'queue') reachable.push(trigger.queue)
  for (const queue of reachable) variables[queueVariable(queue)] = queues[queue].live.url
  if (grants.some((grant) => 'containers' in grant))
    Object.assign(variables, {
      CLUSTER: cluster.nodes.cluster.name,
      TASK_FAMILY_PREFIX: taskFamilyPrefix,
      SUBNETS: vpc.publicSubnets.apply((ids) => $resolve(ids)).apply((ids) => ids.join(',')),
      SECURITY_GROUP: agentsGroup.id,
    })
  if (grants.some((grant) => 'logs' in grant)) variables.AGENT_LOG_GROUP = agentLogs.name
  for (const setting of spec.settings) {
    const value = settingOf(setting)
    if (value !== undefined) variables[setting] = value
  }
  return variables
}

/** A setting's value when deploying; one that is unset is left out, and the function takes its default. */
function settingOf(name: SettingName): $util.Input<string> | undefined {
  switch (name) {
    case 'AGENT_IMAGE':
      return agentImage
    case 'WEB_URL':
      return urls.web
    case 'BACKEND_URL':
      return urls.backend
    case 'SUMMARIZER_URL':
      return urls.summarizer
    default: {
      const given = process.env[name]
      return given === '' ? undefined : given
    }
  }
}

function arnOf(name: string): $util.Output<string> {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  return $interpolate`arn:${aws.getPartitionOutput().partition}:lambda:${region}:${accountId}:function:${name}`
}
