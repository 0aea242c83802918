import type { ImageSettings } from '../../agents/image/platforms.ts'
import type { DeletionHook } from '../../agents/deletion.ts'
import type { Settings } from '../../platform/config/settings.ts'
import type { Containers } from '../../platform/containers/port.ts'
import type { Log } from '../../platform/log.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Making } from '../warm-pool/made-by.ts'
import type { AgentContext, AgentQueue } from '../../agents/context.ts'

/** What the consumer of the provisioning queue needs. */
export interface ProvisioningContext extends AgentContext<AgentQueue | 'hand-overs'> {
  containers: Containers
  /** What removes the rows that nouns keep for an agent, when it is deleted. */
  onDeleted: readonly DeletionHook[]
  /** Keeps what an agent is, before a container that an update asked for can change it. */
  beforeUpdate?: (agent: Agent) => Promise<void>
  log: Log
  config: ImageSettings &
    Making &
    Pick<
      Settings,
      'BACKEND_URL' | 'KILL_SWITCH' | 'PLATFORM_STAGE' | 'WALLET_ENCRYPTION_KEY' | 'WARM_CONTAINERS'
    >
}
