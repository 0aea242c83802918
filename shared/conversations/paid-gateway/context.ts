import type { AiContext } from '#shared/ai/gateway/context.ts'
import type { TermsSettings } from '#shared/money/x402/terms.ts'
import type { PublicActor, UserActor } from '#shared/platform/identity/actor.ts'
import type { Can, Reads, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/** The capabilities of the routes of paid answers, besides models. */
export type PaidGatewayNeeds = Sends<'paid-turns'> &
  Reads<'ADMIN_EMAILS' | 'X402_PLATFORM_SHARE' | 'X402_PRICE_USD'> &
  Can<'webUrl'> & {
    config: TermsSettings
    /** X402_SPEND_CAP_USD: the spend cap of all payers together, per calendar month. Null for no cap. */
    capUsd: number | null
  }

/** The context of the verbs that sell answers. */
export type PaidGatewayContext = AiContext &
  Omit<Context<PublicActor | UserActor>, 'owner'> &
  PaidGatewayNeeds & { request: Request }

/** The time limit of an answer. */
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
