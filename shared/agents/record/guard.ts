import { type ErrorKind, PlatformError } from '#shared/platform/errors.ts'
import type { AgentSettings } from './context.ts'

interface Switched {
  config: Pick<AgentSettings, 'KILL_SWITCH'>
}

/** @throws PlatformError 500 while KILL_SWITCH is on: spec.md, Health and heartbeat */
export function requireProvisioning(ctx: Switched): void {
  requireOn(ctx, 'internal')
}

/**
 * Guards creating and waking agents.
 * @throws PlatformError 503 while KILL_SWITCH is on: contract.md 7
 */
export function requireEnabled(ctx: Switched): void {
  requireOn(ctx, 'unavailable')
}

function requireOn({ config }: Switched, kind: ErrorKind): void {
  if (config.KILL_SWITCH)
    throw new PlatformError(
      kind,
      'Provisioning is disabled: agents cannot be started or stopped at the moment. Try again later',
      { code: 'PROVISIONING_DISABLED' },
    )
}
