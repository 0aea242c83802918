import type { UsdcSettings } from '#shared/money/evm/usdc.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { AgentPaymentSigner } from './signing/port.ts'

/** The context of verbs that pay for an agent. */
export type PayContext = Pick<Context, 'table' | 'log'> &
  Sends<'agent-payments' | 'approvals' | 'webhook-deliveries'> &
  Can<'clock'> & {
    signer: AgentPaymentSigner
    chain: UsdcSettings
    /** AGENT_PAYMENTS_CAP_USD_PER_DAY; undefined for no ceiling. */
    capUsd: number | undefined
    /** FETCH_ALLOW_HOSTS; empty on a deployed stage. */
    allowed: readonly string[]
    /** Resolves names; defaults to the system’s resolver. */
    resolve?: Resolve | undefined
    /** The longest time until the host sends or accepts the next byte, in milliseconds; defaults to 55 s. */
    idleMs?: number | undefined
  }

/**
 * Returns the ceiling of all agents' payments of a day in USD; undefined for no ceiling. The default applies to a
 * deployed stage, where an agent may belong to anyone: contract.md 17.
 */
export function paymentsCap({
  deployed,
  AGENT_PAYMENTS_CAP_USD_PER_DAY: cap,
}: {
  deployed: boolean
  AGENT_PAYMENTS_CAP_USD_PER_DAY?: number | undefined
}): number | undefined {
  return cap ?? (deployed ? 100 : undefined)
}
