import type { ModelSets } from '#shared/money/plans/model-sets.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { PaymentServices } from '../payments/context.ts'

export interface BillingServices extends PaymentServices {
  table: Table
  /** WALLET_ENCRYPTION_KEY, which encrypts users' own provider keys. */
  encryptionKey: string | undefined
  /** The model providers that accept users' own keys. */
  byokProviders: readonly string[]
  deployed: boolean
  /** The models of each plan. */
  modelSets: ModelSets
}

export interface BillingContext
  extends BillingServices, Pick<UserContext, 'actor' | 'owner' | 'requestId' | 'seed'> {}
