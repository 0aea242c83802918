import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { CallsServices } from '../adapter-context.ts'

/** The context of the verbs for the channel of a config's token. */
export type ConfigChannelContext = AgentContext &
  Pick<Context, 'log'> &
  CallsServices &
  Reads<'WALLET_ENCRYPTION_KEY'>
