import { functions } from '../shared/manifest/index.ts'
import type { FunctionSpec } from '../shared/manifest/index.ts'
import { named } from './names.ts'

/**
 * WORKERS_DOMAIN, which a stage sets to have what may run at the edge there: a domain at Cloudflare, below which each
 * worker has its host. Those hosts are known before any worker is, because what leads to them is declared first.
 */
const workersDomain = process.env.WORKERS_DOMAIN || undefined

const runsAtTheEdge = ({ edge }: FunctionSpec) => workersDomain !== undefined && edge === true

/** The functions that are Cloudflare Workers in this stage: none unless it says so. */
export const workers = functions.filter(runsAtTheEdge)

/** All others, which are Lambdas. */
export const lambdas = functions.filter((spec) => !runsAtTheEdge(spec))

/** Where a worker answers. App and stage are in it, so that stages share a domain. */
export function workerHost(name: string): string {
  if (workersDomain === undefined) throw new Error('this stage has no workers')
  return `${named(name)}.${workersDomain}`
}
