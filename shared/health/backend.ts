import type * as z from 'zod'
import type { Log } from '../platform/log.ts'
import type { Probe } from './ready.ts'
import type { BackendHealth } from './schema.ts'

/** The answer must not wait for an engine that does not. */
const patienceMs = 1000

/** spec.md, GET /health (backend): whether containers can be run, and whether provisioning is switched on. */
export async function backendHealth(
  containers: Probe,
  provisioningDisabled: boolean,
  log: Log,
): Promise<z.input<typeof BackendHealth>> {
  const available = await answersInTime(containers, log)
  return {
    status: 'ok',
    timestamp: new Date().toISOString(),
    docker: available ? 'available' : 'unavailable',
    provisioning: provisioningDisabled ? 'disabled' : 'enabled',
  }
}

async function answersInTime(probe: Probe, log: Log): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), patienceMs)
  const asked = probe().then(
    () => true,
    (error: unknown) => {
      log.warn('the container engine does not answer', { error })
      return false
    },
  )
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
