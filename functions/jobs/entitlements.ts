import { cancelUnwanted } from '../../shared/payments/cancel-unwanted.ts'
import { configuredProvider } from '../../shared/payments/context.ts'
import { entitlements } from '../../shared/payments/topic.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Makes what a user has what they pay for. */
export const job = jobWith<typeof wire>()({
  topic: entitlements,
  handle: (ctx, message) => cancelUnwanted(ctx, message),
})

export function wire(config: ConfigOf<'entitlements'>) {
  return { services: { table: openTable(config), provider: configuredProvider(config) } }
}
