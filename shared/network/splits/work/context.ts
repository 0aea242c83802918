import type { Hex } from 'viem'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { PlatformActor } from '#shared/platform/identity/actor.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Finality } from '../chain/finality.ts'
import type { PaymentSigner } from '../signing/port.ts'

/** The context of one wallet's check. */
export type WalletContext = Omit<Context<PlatformActor>, 'owner'> &
  Sends<'splits' | 'webhook-deliveries'> &
  Can<'clock'> & {
    signer: PaymentSigner
    chain: UsdcChain
    finality: Finality
    /** In lower case. */
    wallet: Hex
    /** Epoch milliseconds. */
    now: number
  }
