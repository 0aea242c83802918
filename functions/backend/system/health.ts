import { backendHealth } from '../../../shared/health/backend.ts'
import type { Probe } from '../../../shared/health/ready.ts'
import { BackendHealth } from '../../../shared/health/schema.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { ReadyServices } from '../../common/ready.ts'

export interface BackendHealthServices extends ReadyServices {
  containers: Probe
  /** KILL_SWITCH. */
  provisioningDisabled: boolean
}

export const health = routesWith<BackendHealthServices>()({
  method: 'GET',
  path: '/health',
  summary: 'Whether containers can be run, and whether provisioning is switched on',
  tag: 'health',
  guard: 'none',
  response: BackendHealth,
  errors: [],
  handle: ({ containers, provisioningDisabled, log }) =>
    backendHealth(containers, provisioningDisabled, log),
})
