import type * as z from 'zod'
import type { Log } from '../log.ts'
import type { TargetCheck } from './check.ts'
import type { BackendHealth } from './schema.ts'

/** Returns whether containers can run and whether provisioning is enabled: spec.md, GET /health (backend). */
export async function backendHealth(
  containers: TargetCheck,
  provisioningDisabled: boolean,
  log: Log,
): Promise<z.input<typeof BackendHealth>> {
  const available = await containers(log)
  return {
    status: 'ok',
    timestamp: new Date().toISOString(),
    docker: available ? 'available' : 'unavailable',
    provisioning: provisioningDisabled ? 'disabled' : 'enabled',
  }
}
