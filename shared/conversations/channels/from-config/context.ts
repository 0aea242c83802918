import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { CallsServices } from '../adapter-context.ts'

/** The context of the channels that agents' configs have tokens for. */
export type ConfigChannelContext = AgentContext &
  Pick<Context, 'log'> &
  CallsServices &
  Reads<'WALLET_ENCRYPTION_KEY'>
