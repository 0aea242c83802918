import { requireUsdc } from '#shared/money/evm/usdc.ts'
import { finalityOf } from '#shared/network/splits/chain/finality.ts'
import { openPaymentSigner } from '#shared/network/splits/signing/client.ts'
import { walletWork } from '#shared/network/splits/topic.ts'
import { workOnWallet } from '#shared/network/splits/work/wallet.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Pays splits. Each message handles one wallet once. */
export const job = jobWith<typeof wire>()({
  topic: walletWork,
  handle: ({ config, signerFor, ...ctx }, message) =>
    workOnWallet(
      {
        ...ctx,
        chain: requireUsdc(config, 'Splits'),
        signer: signerFor({ requestId: ctx.requestId, askedBy: ctx.actor.askedBy }),
        finality: finalityOf(config),
      },
      message,
    ),
})

export function wire(config: ConfigOf<'splits'>) {
  return { services: { table: openTable(config), config, signerFor: openPaymentSigner(config) } }
}
