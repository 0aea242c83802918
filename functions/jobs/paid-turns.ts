import { executeTurn } from '#shared/conversations/paid-gateway/turns/execute.ts'
import { paidTurns } from '#shared/conversations/paid-gateway/turns/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Sends paid prompts to agents. */
export const job = jobWith<typeof wire>()({
  topic: paidTurns,
  handle: (ctx, turn) => executeTurn(ctx, turn),
})

export function wire(config: ConfigOf<'paid-turns'>) {
  return {
    services: {
      table: openTable(config),
      config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
    },
  }
}
