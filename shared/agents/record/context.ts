import type { QueueName } from '#shared/manifest/queues.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { Actor, PlatformActor, ProviderActor } from '#shared/platform/identity/actor.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { ImageSettings } from './image/platforms.ts'

/** The queues that a change of an agent sends to: its provisioning, and its owner's webhooks. */
export type AgentQueue = 'provisioning' | 'webhook-deliveries'

/** The context of the verbs in this folder. @typeParam Queue the queues that a verb sends to */
export interface AgentContext<Queue extends QueueName = AgentQueue> {
  table: Table
  queues: Queues<Queue>
  log?: Log | undefined
}

/** The settings of verbs on behalf of people. */
export type AgentSettings = Pick<
  Settings,
  'ADMIN_EMAILS' | 'AGENTS_DOMAIN' | 'KILL_SWITCH' | 'WALLET_ENCRYPTION_KEY'
> &
  ImageSettings & { deployed: boolean }

/** The services of the handlers of both surfaces. */
export interface AgentServices<Queue extends QueueName = AgentQueue> extends AgentContext<Queue> {
  config: AgentSettings
}

/** The author of a change, for the agent's events. Absent for the platform itself. */
export interface ChangeAuthor {
  actor?: Actor | PlatformActor | ProviderActor
  /** The user that the actor acts for. Default: the actor itself. */
  owner?: string | undefined
}
