import { readFileSync } from 'node:fs'
import type { Units } from './meter/platform.ts'

interface PriceFile {
  region: string
  asOf: string
  dollarsPerPound: number
  prices: Record<PriceName, { usd: number; of: string; source: string }>
}

export type PriceName =
  | 'fargateVcpuHour'
  | 'fargateGbHour'
  | 'fargateSpotVcpuHour'
  | 'fargateSpotGbHour'
  | 'publicAddressHour'
  | 'natHour'
  | 'natGb'
  | 'lambdaGbSecond'
  | 'lambdaMillion'
  | 'tableReadMillion'
  | 'tableWriteMillion'
  | 'httpApiMillion'
  | 'restApiMillion'
  | 'edgeMillion'
  | 'edgeGb'
  | 'egressGb'
  | 'logsGb'
  | 'queueMillion'
  | 'alarmMonth'
  | 'metricMonth'
  | 'keyMonth'
  | 'dnsZoneMonth'
  | 'endpointHour'
  | 'scheduleMillion'
  | 'loadBalancerHour'
  | 'loadBalancerUnitHour'
  | 'fargateDiskGbHour'
  | 'objectGbMonth'
  | 'objectPutMillion'
  | 'objectGetMillion'

/** AWS prices, each with its date and source. */
export const priceFile = JSON.parse(
  readFileSync(new URL('prices.json', import.meta.url), 'utf8'),
) as PriceFile

/** Returns a price in US dollars. */
export const price = (name: PriceName): number => priceFile.prices[name].usd

export const hoursAMonth = 730

/** Returns the US dollars for a million times these units. */
export function tableMillion({ reads, writes }: Units): number {
  return reads * price('tableReadMillion') + writes * price('tableWriteMillion')
}

/** Returns the US dollars for a million invocations. */
export function lambdaMillion(memoryMb: number, seconds: number): number {
  return (memoryMb / 1024) * seconds * 1e6 * price('lambdaGbSecond') + price('lambdaMillion')
}

/** Returns the US dollars for a million responses of this size. */
export function gigabytes(name: PriceName, kilobytes: number): number {
  return kilobytes * price(name)
}
