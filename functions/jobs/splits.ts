import { requireUsdc } from '../../shared/evm/usdc.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { finalityOf } from '../../shared/splits/chain/finality.ts'
import { openPaymentSigner } from '../../shared/splits/signing/client.ts'
import { walletWork } from '../../shared/splits/topic.ts'
import { workOnWallet } from '../../shared/splits/work/wallet.ts'
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
