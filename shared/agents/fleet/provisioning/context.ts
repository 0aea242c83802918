import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentQueue } from '#shared/agents/record/context.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import type { ImageSettings } from '#shared/agents/record/image/platforms.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { Containers } from '#shared/platform/containers/port.ts'
import type { Log } from '#shared/platform/log.ts'
import type { HashedSettings } from '../warm-pool/settings-hash.ts'

/** The context of the consumer of the provisioning queue. */
export interface ProvisioningContext extends AgentContext<AgentQueue | 'hand-overs'> {
  containers: Containers
  /** Removes the rows that nouns store for a deleted agent. */
  onDeleted: readonly DeletionHook[]
  /** Creates a restore point before an updated container can change the agent's data. */
  beforeUpdate?: (agent: Agent) => Promise<void>
  log: Log
  config: ImageSettings &
    HashedSettings &
    Pick<
      Settings,
      'BACKEND_URL' | 'KILL_SWITCH' | 'PLATFORM_STAGE' | 'WALLET_ENCRYPTION_KEY' | 'WARM_CONTAINERS'
    >
}
