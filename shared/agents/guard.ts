import { PlatformError } from '../platform/errors.ts'
import type { AgentSettings } from './context.ts'

/** @throws PlatformError 500 while KILL_SWITCH: spec.md, Health and heartbeat */
export function requireProvisioning({
  config,
}: {
  config: Pick<AgentSettings, 'KILL_SWITCH'>
}): void {
  if (config.KILL_SWITCH)
    throw new PlatformError('internal', 'Provisioning is disabled', {
      code: 'PROVISIONING_DISABLED',
    })
}
