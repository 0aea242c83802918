import { functions } from '../shared/manifest/index.ts'
import type { FunctionSpec, ServiceSize, Surface } from '../shared/manifest/index.ts'
import { named } from './names.ts'

/**
 * WORKERS_DOMAIN, which a stage sets to have what may run at the edge there: a domain at Cloudflare, below which each
 * worker has its host. Those hosts are known before any worker is, because what leads to them is declared first.
 */
const workersDomain = process.env.WORKERS_DOMAIN || undefined

const runsAtTheEdge = ({ edge }: FunctionSpec) => workersDomain !== undefined && edge === true

/** The functions that are Cloudflare Workers in this stage: none unless it says so. */
export const workers = functions.filter(runsAtTheEdge)

/** A function that this stage runs as a service. */
export type Service = FunctionSpec & {
  trigger: Extract<FunctionSpec['trigger'], { kind: 'http' }>
  service: ServiceSize
}

/** The functions that are services in this stage: those that SERVICES names. */
export const services: readonly Service[] = (process.env.SERVICES ?? '')
  .split(',')
  .map((name) => name.trim())
  .filter(Boolean)
  .map(serviceNamed)

const names = new Set(services.map(({ name }) => name))

/** All others, which are Lambdas. */
export const lambdas = functions.filter((spec) => !runsAtTheEdge(spec) && !names.has(spec.name))

function serviceNamed(name: string): Service {
  const found = functions.find((spec) => spec.name === name)
  if (found?.service === undefined || found.trigger.kind !== 'http') {
    const able = functions.flatMap((spec) => (spec.service === undefined ? [] : [spec.name]))
    throw new Error(`SERVICES names ${name}; what can be a service: ${able.join(', ')}`)
  }
  return found as Service
}

/** The services of a surface. */
export function servicesOf(surface: Surface): Service[] {
  return services.filter(({ trigger }) => trigger.surface === surface)
}

/** Where a worker answers. App and stage are in it, so that stages share a domain. */
export function workerHost(name: string): string {
  if (workersDomain === undefined) throw new Error('this stage has no workers')
  return `${named(name)}.${workersDomain}`
}
