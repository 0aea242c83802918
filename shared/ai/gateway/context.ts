import type { PlanName } from '#shared/money/plans/plans.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Routing } from '#shared/platform/model-routing.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Catalogue } from './models/catalogue.ts'
import type { Providers } from './providers/provider.ts'

/** The model providers and their models. */
export interface HasModels {
  providers: Providers
  catalogue: Catalogue
}

/** The context of calls of models. */
export type AiContext = Pick<Context, 'table' | 'log'> & HasModels & Metering

interface Metering {
  /** AI_MODEL_TIMEOUT_MS: the timeout of each attempt. */
  timeoutMs: number
  /** WALLET_ENCRYPTION_KEY, which decrypts the users' own keys. */
  encryptionKey?: string | undefined
  /** PLAN_ROUTING: the routing of the callers of each plan. */
  planRouting?: { readonly [Name in PlanName]?: Routing | undefined } | undefined
  /** Records calls that the table did not accept in time. */
  settlements: Queues<'settlements'>
  /** Sends spans of calls. Absent without collectors. */
  spans?: Queues<'telemetry'>
}
