import type { Settings } from '../platform/config/settings.ts'
import type { Actor, PlatformActor, ProviderActor } from '../identity/actor.ts'
import type { QueueName } from '../manifest/queues.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'

/** What the verbs of this folder stand on. @typeParam Queue those that a verb sends by */
export interface AgentContext<Queue extends QueueName = 'provisioning'> {
  table: Table
  queues: Queues<Queue>
}

/** The settings that verbs on behalf of people read. */
export type AgentSettings = Pick<
  Settings,
  'ADMIN_EMAILS' | 'AGENTS_DOMAIN' | 'AGENT_IMAGE' | 'KILL_SWITCH' | 'WALLET_ENCRYPTION_KEY'
> & { deployed: boolean }

/** What the handlers of both surfaces are given. */
export interface AgentServices<
  Queue extends QueueName = 'provisioning',
> extends AgentContext<Queue> {
  config: AgentSettings
}

/** Who asks for a change, as the agent's events tell it; absent where the platform itself does. */
export interface Asked {
  actor?: Actor | PlatformActor | ProviderActor
}
