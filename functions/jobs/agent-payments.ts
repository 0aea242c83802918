import { requireUsdc } from '#shared/money/evm/usdc.ts'
import { paymentChecks } from '#shared/network/agent-payments/topic.ts'
import { checkPayment } from '#shared/network/agent-payments/work/check.ts'
import { finalityOf } from '#shared/network/splits/chain/finality.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Checks the outcome of an agent's payment on the chain. */
export const job = jobWith<typeof wire>()({
  topic: paymentChecks,
  handle: ({ config, ...ctx }, message) =>
    checkPayment(
      {
        ...ctx,
        chain: requireUsdc(config, 'Payments of agents'),
        finality: finalityOf(config),
      },
      message,
    ),
})

export function wire(config: ConfigOf<'agent-payments'>) {
  return { services: { table: openTable(config), config } }
}
