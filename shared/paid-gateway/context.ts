import type { AiContext } from '../ai/context.ts'
import type { Context } from '../identity/context.ts'
import type { PublicActor, UserActor } from '../identity/actor.ts'
import type { Settings } from '../platform/config/settings.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { TermsSettings } from '../x402/terms.ts'

/** What the gateway for payers stands on, beside the request. */
export interface PaidGatewayServices extends Omit<AiContext, 'log'> {
  queues: Queues<'paid-turns'>
  config: TermsSettings &
    Pick<Settings, 'ADMIN_EMAILS' | 'WEB_URL' | 'X402_PLATFORM_SHARE' | 'X402_PRICE_USD'>
  /** X402_SPEND_CAP_USD: what models may cost for all payers in a calendar month; null for no limit. */
  capUsd: number | null
}

export interface PaidGatewayContext
  extends PaidGatewayServices, Omit<Context<PublicActor | UserActor>, 'table'> {
  request: Request
}

/** When an answer would come too late. */
export interface Deadline {
  /** Epoch milliseconds. */
  at: number
  /** Aborted then. */
  signal: AbortSignal
}

/** What is asked for, looked at before anything is paid. */
export interface Work<Answer> {
  /** The agent that answers, and its owner, who earns the price; absent if the platform itself answers. */
  seller?: { userId: string; agentId: string }
  /** Does it. @throws what failed: the payment then stays good */
  run(deadline: Deadline): Promise<Done<Answer>>
}

export interface Done<Answer> {
  answer: Answer
  /** Names the turn with the agent, whose row has what its tokens cost. */
  turn?: string | undefined
}
