import type { Settings } from '../../platform/config/settings.ts'
import type { Containers } from '../../platform/containers/port.ts'
import type { Log } from '../../platform/log.ts'
import type { AgentContext } from '../context.ts'

/** What the consumer of the provisioning queue stands on. */
export interface ProvisioningContext extends AgentContext {
  containers: Containers
  log: Log
  config: Pick<
    Settings,
    'AGENT_IMAGE' | 'BACKEND_URL' | 'KILL_SWITCH' | 'PLATFORM_STAGE' | 'WALLET_ENCRYPTION_KEY'
  >
}
