import type { AiContext } from '#shared/ai/gateway/context.ts'
import type { TermsSettings } from '#shared/money/x402/terms.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { PublicActor, UserActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Queues } from '#shared/platform/queues/port.ts'

/** The services of the paid gateway, besides the request. */
export interface PaidGatewayServices extends Omit<AiContext, 'log'> {
  queues: Queues<'paid-turns'>
  config: TermsSettings &
    Pick<Settings, 'ADMIN_EMAILS' | 'WEB_URL' | 'X402_PLATFORM_SHARE' | 'X402_PRICE_USD'>
  /** X402_SPEND_CAP_USD: the spend cap of all payers together, per calendar month. Null for no cap. */
  capUsd: number | null
}

export interface PaidGatewayContext
  extends PaidGatewayServices, Omit<Context<PublicActor | UserActor>, 'table'> {
  request: Request
}

/** The time after which an answer would be too late. */
export interface Deadline {
  /** Epoch milliseconds. */
  at: number
  /** Aborted at that time. */
  signal: AbortSignal
}

/** A request that was validated before the payment. */
export interface PaidWork<Answer> {
  /** The agent that answers, and its owner, who earns the price. Absent if the platform itself answers. */
  seller?: { userId: string; agentId: string }
  /**
   * Produces the answer.
   * @throws any error, after which the payment stays valid
   */
  run(deadline: Deadline): Promise<PaidWorkResult<Answer>>
}

export interface PaidWorkResult<Answer> {
  answer: Answer
  /** The id of the agent's turn, whose row contains the cost of its tokens. */
  turn?: string | undefined
}
