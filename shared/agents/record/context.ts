import type { QueueName } from '#shared/manifest/queues.ts'
import type { Actor, PlatformActor, ProviderActor } from '#shared/platform/identity/actor.ts'
import type { Optional, Reads, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { ImageSettings } from './image/platforms.ts'

/** The queues that a change of an agent sends to: its provisioning, and its owner's webhooks. */
export type AgentQueue = 'provisioning' | 'webhook-deliveries'

/** The context of the verbs of agents. @typeParam Queue the queues that a verb sends to */
export type AgentContext<Queue extends QueueName = AgentQueue> = Pick<Context, 'table'> &
  Optional<Pick<Context, 'log'>> &
  Sends<Queue>

/** The settings of verbs on behalf of people. */
export type AgentSetting =
  | 'ADMIN_EMAILS'
  | 'AGENT_CHANNELS'
  | 'AGENTS_DOMAIN'
  | 'KILL_SWITCH'
  | 'WALLET_ENCRYPTION_KEY'
  | 'deployed'
  | keyof ImageSettings

export type AgentSettings = Reads<AgentSetting>['config']

/** The author of a change, for the agent's events. Absent for the platform itself. */
export interface ChangeAuthor {
  actor?: Actor | PlatformActor | ProviderActor
  /** The user that the actor acts for. Default: the actor itself. */
  owner?: string | undefined
}
