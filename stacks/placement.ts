import { functions } from '#shared/manifest/index.ts'
import type { FunctionSpec, ServiceSize, Surface } from '#shared/manifest/index.ts'
import { named } from './names.ts'

/**
 * WORKERS_DOMAIN: a domain at Cloudflare. If set, functions that can run at the edge run there as workers, each on its own
 * host below the domain. The hosts are known in advance, because the resources that point to them are declared first.
 */
const workersDomain = process.env.WORKERS_DOMAIN || undefined

const runsAtTheEdge = ({ edge }: FunctionSpec) => workersDomain !== undefined && edge === true

/** The functions that are Cloudflare Workers in this stage; empty without WORKERS_DOMAIN. */
export const workers = functions.filter(runsAtTheEdge)

/** A function that runs as a service in this stage. */
export type Service = FunctionSpec & {
  trigger: Extract<FunctionSpec['trigger'], { kind: 'http' }>
  service: ServiceSize
}

/** The services of this stage: the functions that SERVICES names. */
export const services: readonly Service[] = (process.env.SERVICES ?? '')
  .split(',')
  .map((name) => name.trim())
  .filter(Boolean)
  .map(serviceNamed)

const names = new Set(services.map(({ name }) => name))

/** All other functions, which are Lambda functions. */
export const lambdas = functions.filter((spec) => !runsAtTheEdge(spec) && !names.has(spec.name))

function serviceNamed(name: string): Service {
  const found = functions.find((spec) => spec.name === name)
  if (found?.service === undefined || found.trigger.kind !== 'http') {
    const able = functions.flatMap((spec) => (spec.service === undefined ? [] : [spec.name]))
    throw new Error(
      `SERVICES names ${name}, which cannot be a service; these can: ${able.join(', ')}`,
    )
  }
  return found as Service
}

/** Returns the services of a surface. */
export function servicesOf(surface: Surface): Service[] {
  return services.filter(({ trigger }) => trigger.surface === surface)
}

/** Returns the host of a worker. It contains app and stage, so that stages can share a domain. */
export function workerHost(name: string): string {
  if (workersDomain === undefined) throw new Error('this stage has no workers')
  return `${named(name)}.${workersDomain}`
}
