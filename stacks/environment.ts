import { queueBaseVariable, queues as specs, queueVariable } from '#shared/manifest/index.ts'
import type { FunctionSpec, QueueName, SettingName } from '#shared/manifest/index.ts'
import { liveAlias } from '#shared/manifest/releases.ts'
import { urls } from './addresses.ts'
import { agentNetwork } from './agent-network.ts'
import { cluster, taskFamilyPrefix } from './containers.ts'
import { named } from './names.ts'
import { agentsGroup } from './network.ts'
import { queues } from './queues.ts'
import { objects, table } from './storage.ts'
import { agentImage, agentLogs } from './task-roles.ts'
import { walletKey } from './wallet-key.ts'

/** Returns the variables of a function: its identity, its engines, and the settings that the manifest grants it. */
export function environmentOf(spec: FunctionSpec): Record<string, $util.Input<string>> {
  const { grants } = spec
  const variables: Record<string, $util.Input<string>> = {
    PLATFORM_STAGE: $app.stage,
    FUNCTION_NAME: spec.name,
  }
  if (grants.some((grant) => 'table' in grant || 'count' in grant || 'claims' in grant))
    variables.TABLE_NAME = table.name
  Object.assign(variables, queueVariablesOf(spec))
  if (grants.some((grant) => 'containers' in grant))
    Object.assign(variables, {
      CLUSTER: cluster.nodes.cluster.name,
      TASK_FAMILY_PREFIX: taskFamilyPrefix,
      SUBNETS: agentNetwork.subnets.apply((ids) => ids.join(',')),
      PUBLIC_ADDRESS: agentNetwork.publicAddress,
      SECURITY_GROUP: agentsGroup.id,
    })
  if (grants.some((grant) => 'logs' in grant)) variables.AGENT_LOG_GROUP = agentLogs.name
  const stored = ['mails', 'packs', 'snapshots', 'videos']
  if (grants.some((grant) => stored.some((kind) => kind in grant)))
    variables.OBJECTS_BUCKET = objects.name
  if (grants.some((grant) => 'invoke' in grant))
    variables.SIGNER_FUNCTION = `${named('signer')}:${liveAlias}`
  for (const setting of spec.settings) {
    const value = settingOf(setting)
    if (value !== undefined) variables[setting] = value
  }
  return variables
}

/** Returns the variables with the queues that a function reaches. */
function queueVariablesOf({ grants, trigger }: FunctionSpec): Record<string, $util.Input<string>> {
  const urlOf = (queue: QueueName) => queues[queue].live.url
  if (grants.some((grant) => 'depth' in grant || 'redrive' in grant)) {
    const [first] = specs
    const names = specs.map(({ name }) => [queueVariable(name), queues[name].live.nodes.queue.name])
    const base = urlOf(first.name).apply((url) => url.slice(0, url.lastIndexOf('/') + 1))
    return { ...Object.fromEntries(names), [queueBaseVariable]: base }
  }
  const reachable = grants.flatMap((grant) => {
    if ('send' in grant) return [grant.send]
    return 'look' in grant ? [grant.look] : []
  })
  if (trigger.kind === 'queue') reachable.push(trigger.queue)
  return Object.fromEntries(reachable.map((queue) => [queueVariable(queue), urlOf(queue)]))
}

/** Returns the value of a setting at deployment; undefined if it is unset, so that the function uses its default. */
function settingOf(name: SettingName): $util.Input<string> | undefined {
  switch (name) {
    case 'AGENT_IMAGE':
      return agentImage
    case 'WALLET_KMS_KEY_ID':
      return walletKey.arn
    case 'WEB_URL':
      return urls.web
    case 'BACKEND_URL':
      return urls.backend
    case 'SUMMARIZER_URL':
      return urls.summarizer
    default: {
      const value = process.env[name]
      return value === '' ? undefined : value
    }
  }
}
