import { gatewayPort } from '../../manifest/containers.ts'
import type { Address } from './port.ts'
import type { EcsTask } from './shape.ts'

/**
 * Where a task's gateway is reached: by the port that its container is bound to on this host, where there is one,
 * else at the private address of its network interface, as Fargate gives each task one.
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

/** DescribeTasks writes `ElasticNetworkInterface`, an event `eni`. */
function isInterface(type: string | undefined): boolean {
  return type === 'ElasticNetworkInterface' || type === 'eni'
}
