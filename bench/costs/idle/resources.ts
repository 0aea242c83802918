import { readFileSync } from 'node:fs'

/** What a stage has that AWS bills by the hour or the month, whether or not anybody uses it. */
export interface Resources {
  /** Those included that AWS makes itself for each policy by which a service scales. */
  alarms: number
  keys: number
  dnsZones: number
  /** Interface endpoints of the network, counted in each zone. */
  endpoints: number
  natGateways: number
  balancers: number
  /** Containers that always run, and the vCPU and GB of all of them together. */
  containers: number
  vcpu: number
  gb: number
  /** Services that scale; each sends one custom metric. */
  services: number
  /** Public IPv4 addresses. */
  addresses: number
}

/** The settings of a stage that has all that is paid by the hour, beside those that every stage needs. */
export const hourlySettings = {
  AGENTS_NAT: 'true',
  AGENTS_DOMAIN: 'agents.example.com',
  AGENTS_CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:123456789012:certificate/agents',
  SERVICES: 'backend-ai',
  SERVICE_IMAGE: `registry.example.com/services@sha256:${'0'.repeat(64)}`,
}

const file = new URL('resources.json', import.meta.url)

/** The resources of both stages, as tests/infra last counted them in what the program declares. */
export function readResources(): Record<'small' | 'hourly', Resources> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<'small' | 'hourly', Resources>
}
