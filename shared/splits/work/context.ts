import type { Hex } from 'viem'
import type { PlatformActor } from '../../identity/actor.ts'
import type { UsdcChain } from '../../evm/usdc.ts'
import type { Context } from '../../identity/context.ts'
import type { Queues } from '../../platform/queues/port.ts'
import type { Finality } from '../chain/finality.ts'
import type { PaymentSigner } from '../signing/port.ts'

/** What the job works by. */
export interface WorkContext extends Context<PlatformActor> {
  queues: Queues<'splits' | 'webhook-deliveries'>
  signer: PaymentSigner
  chain: UsdcChain
  finality: Finality
  /** Epoch milliseconds; the machine's clock unless it is given. */
  clock?: () => number
}

/** One wallet's look. */
export interface WalletContext extends WorkContext {
  /** In lower case. */
  wallet: Hex
  /** Epoch milliseconds. */
  now: number
}
