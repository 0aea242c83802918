import type { ModelSets } from '#shared/money/plans/model-sets.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { PurchaseContext } from '../payments/context.ts'

/** The context of the verbs of the billing page. */
export type BillingContext = Pick<UserContext, 'actor' | 'requestId'> &
  PurchaseContext &
  Can<'encryptionKey' | 'deployed'> & {
    /** The model providers that accept users' own keys. */
    byokProviders: readonly string[]
    /** The models of each plan. */
    modelSets: ModelSets
  }
