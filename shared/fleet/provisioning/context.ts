import type { ImageSettings } from '../../agents/image/platforms.ts'
import type { DeletionHook } from '../../agents/deletion.ts'
import type { Settings } from '../../platform/config/settings.ts'
import type { Containers } from '../../platform/containers/port.ts'
import type { Log } from '../../platform/log.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Making } from '../warm-pool/made-by.ts'
import type { AgentContext, AgentQueue } from '../../agents/context.ts'

/** The context of the consumer of the provisioning queue. */
export interface ProvisioningContext extends AgentContext<AgentQueue | 'hand-overs'> {
  containers: Containers
  /** Removes the rows that nouns store for a deleted agent. */
  onDeleted: readonly DeletionHook[]
  /** Creates a restore point before an updated container can change the agent's data. */
  beforeUpdate?: (agent: Agent) => Promise<void>
  log: Log
  config: ImageSettings &
    Making &
    Pick<
      Settings,
      'BACKEND_URL' | 'KILL_SWITCH' | 'PLATFORM_STAGE' | 'WALLET_ENCRYPTION_KEY' | 'WARM_CONTAINERS'
    >
}
