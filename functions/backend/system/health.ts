import { BackendHealth } from '../../../shared/health/schema.ts'
import { routesWith } from '../../../shared/http/route.ts'
import { within } from '../../../shared/health/within.ts'
import type { ReadyServices } from '../../common/ready.ts'

export interface BackendHealthServices extends ReadyServices {
  /** KILL_SWITCH. */
  provisioningDisabled: boolean
}

/** The answer must not wait for an engine that does not. */
const patienceMs = 1000

export const health = routesWith<BackendHealthServices>()({
  method: 'GET',
  path: '/health',
  summary: 'Whether containers can be run, and whether provisioning is switched on',
  tag: 'health',
  guard: 'none',
  response: BackendHealth,
  errors: [],
  handle: async ({ probes, provisioningDisabled, log }) => ({
    status: 'ok' as const,
    timestamp: new Date().toISOString(),
    docker: (await within(patienceMs, probes.containers, log)) ? 'available' : 'unavailable',
    provisioning: provisioningDisabled ? 'disabled' : 'enabled',
  }),
})
