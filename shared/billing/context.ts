import type { UserContext } from '../identity/context.ts'
import type { PaymentServices } from '../payments/context.ts'
import type { ModelSets } from '../plans/model-sets.ts'
import type { Table } from '../platform/table/port.ts'

/** What billing's verbs stand on. */
export interface BillingServices extends PaymentServices {
  table: Table
  /** WALLET_ENCRYPTION_KEY, by which users' own provider keys are sealed. */
  encryptionKey: string | undefined
  /** The model providers that a user may bring a key for. */
  byokProviders: readonly string[]
  deployed: boolean
  /** The models of each plan. */
  modelSets: ModelSets
}

export interface BillingContext
  extends BillingServices, Pick<UserContext, 'actor' | 'requestId' | 'seed'> {}
