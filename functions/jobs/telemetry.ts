import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { telemetry } from '#shared/signals/spans/topic.ts'
import { deliverSpans, openCollectors } from '#shared/tools/telemetry/deliver.ts'
import { jobWith } from '../common/job.ts'

/** Posts spans of users' work to their collectors. Spans of one user in one batch are posted together. */
export const job = jobWith<typeof wire>()({
  topic: telemetry,
  handle: (ctx, message) => deliverSpans(ctx, message),
})

export function wire(config: ConfigOf<'telemetry'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      collectors: openCollectors({
        table: openTable(config),
        guard: config,
        sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      }),
    },
  }
}
