import { PlatformError } from '../platform/errors.ts'
import type { AgentServices } from './context.ts'

/** @throws PlatformError 500 while KILL_SWITCH: spec.md, Health and heartbeat */
export function requireProvisioning({ config }: Pick<AgentServices, 'config'>): void {
  if (config.KILL_SWITCH)
    throw new PlatformError('internal', 'Provisioning is disabled', {
      code: 'PROVISIONING_DISABLED',
    })
}
