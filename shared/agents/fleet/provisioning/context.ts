import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentQueue } from '#shared/agents/record/context.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import type { ImageSettings } from '#shared/agents/record/image/platforms.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { HashedSettings } from '../warm-pool/settings-hash.ts'

/** The context of the verbs that start and stop containers. */
export type ProvisioningContext = AgentContext<AgentQueue | 'hand-overs'> &
  Pick<Context, 'log'> &
  Can<'containers'> &
  Reads<
    | 'BACKEND_URL'
    | 'KILL_SWITCH'
    | 'PLATFORM_STAGE'
    | 'WALLET_ENCRYPTION_KEY'
    | 'WARM_CONTAINERS'
    | keyof ImageSettings
    | keyof HashedSettings
  > & {
    /** Removes the rows that nouns store for a deleted agent. */
    onDeleted: readonly DeletionHook[]
    /** Creates a restore point before an updated container can change the agent's data. */
    beforeUpdate?: (agent: Agent) => Promise<void>
    /** Returns the size of the disk for an agent's files in GiB; undefined if the default is enough. */
    diskGb?: (agent: Agent) => Promise<number | undefined>
  }
