import type { UsdcSettings } from '#shared/money/evm/usdc.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { AgentPaymentSigner } from './signing/port.ts'

/** The context of verbs that pay for an agent. */
export type PayContext = Pick<Context, 'table' | 'log'> &
  Sends<'agent-payments'> &
  Can<'clock'> & {
    signer: AgentPaymentSigner
    chain: UsdcSettings
    /** AGENT_PAYMENTS_CAP_USD_PER_DAY; undefined for no ceiling. */
    capUsd: number | undefined
    /** FETCH_ALLOW_HOSTS; empty on a deployed stage. */
    allowed: readonly string[]
    /** Resolves names; defaults to the system’s resolver. */
    resolve?: Resolve | undefined
  }
