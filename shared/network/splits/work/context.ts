import type { Hex } from 'viem'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { PlatformActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Finality } from '../chain/finality.ts'
import type { PaymentSigner } from '../signing/port.ts'

export interface SplitWorkContext extends Omit<Context<PlatformActor>, 'owner'> {
  queues: Queues<'splits' | 'webhook-deliveries'>
  signer: PaymentSigner
  chain: UsdcChain
  finality: Finality
  /** Returns epoch milliseconds; the system clock by default. */
  clock?: () => number
}

/** The context of one wallet's check. */
export interface WalletContext extends SplitWorkContext {
  /** In lower case. */
  wallet: Hex
  /** Epoch milliseconds. */
  now: number
}
