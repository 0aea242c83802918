import type { ImageSettings } from './image/platforms.ts'
import type { Settings } from '../platform/config/settings.ts'
import type { Log } from '../platform/log.ts'
import type { Actor, PlatformActor, ProviderActor } from '../identity/actor.ts'
import type { QueueName } from '../manifest/queues.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'

/** Those that a change of an agent sends by: what is to be done for it, and what its owner's programs are told. */
export type AgentQueue = 'provisioning' | 'webhook-deliveries'

/** What the verbs of this folder stand on. @typeParam Queue those that a verb sends by */
export interface AgentContext<Queue extends QueueName = AgentQueue> {
  table: Table
  queues: Queues<Queue>
  log?: Log | undefined
}

/** The settings that verbs on behalf of people read. */
export type AgentSettings = Pick<
  Settings,
  'ADMIN_EMAILS' | 'AGENTS_DOMAIN' | 'KILL_SWITCH' | 'WALLET_ENCRYPTION_KEY'
> &
  ImageSettings & { deployed: boolean }

/** What the handlers of both surfaces are given. */
export interface AgentServices<Queue extends QueueName = AgentQueue> extends AgentContext<Queue> {
  config: AgentSettings
}

/** Who asks for a change, as the agent's events tell it; absent where the platform itself does. */
export interface Asked {
  actor?: Actor | PlatformActor | ProviderActor
}
