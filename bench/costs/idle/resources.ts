import { readFileSync } from 'node:fs'

/** The resources of a stage that AWS bills by the hour or month, used or not. */
export interface Resources {
  /**
   * The metrics that alarms read, because AWS bills each of them. Includes the alarms that AWS creates for each scaling
   * policy of a service.
   */
  alarms: number
  keys: number
  dnsZones: number
  /** Interface endpoints of the network, counted per zone. */
  endpoints: number
  natGateways: number
  balancers: number
  /** Containers that always run, and their total vCPU and GB. */
  containers: number
  vcpu: number
  gb: number
  /** Services with auto scaling. Each sends one custom metric. */
  services: number
  /** Public IPv4 addresses. */
  addresses: number
}

/** The settings of a stage with everything that is billed by the hour, besides those that every stage needs. */
export const hourlySettings = {
  AGENTS_NAT: 'true',
  AGENTS_DOMAIN: 'agents.example.com',
  AGENTS_CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:123456789012:certificate/agents',
  SERVICES: 'backend-ai',
  SERVICE_IMAGE: `registry.example.com/services@sha256:${'0'.repeat(64)}`,
}

const file = new URL('resources.json', import.meta.url)

/** The stages whose resources are counted. `throwaway` uses the network of a stage that is kept. */
export type IdleStage = 'small' | 'hourly' | 'throwaway'

/** Returns the resources of each stage as tests/infra last counted them in the AWS program. */
export function readResources(): Record<IdleStage, Resources> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<IdleStage, Resources>
}
