import { gatewayPort } from '#shared/manifest/containers.ts'
import type { Address } from './port.ts'
import type { EcsTask } from './shape.ts'

/**
 * Returns the address of a task's gateway: the host port that its container is bound to, if any, else the private
 * address of its network interface, which Fargate gives to each task.
 */
export function resolveAddress({
  containers,
  attachments,
}: Pick<EcsTask, 'containers' | 'attachments'>): Address | undefined {
  for (const { networkBindings = [] } of containers)
    for (const { bindIP, hostPort } of networkBindings)
      if (bindIP !== undefined && hostPort !== undefined) return { host: bindIP, port: hostPort }
  for (const { type, details = [] } of attachments) {
    const host = details.find(({ name }) => name === 'privateIPv4Address')?.value
    if (isInterface(type) && host) return { host, port: gatewayPort }
  }
  return undefined
}

/** DescribeTasks writes `ElasticNetworkInterface`, an event writes `eni`. */
function isInterface(type: string | undefined): boolean {
  return type === 'ElasticNetworkInterface' || type === 'eni'
}
