import { carryOutTurn } from '#shared/conversations/paid-gateway/turns/carry-out.ts'
import { paidTurns } from '#shared/conversations/paid-gateway/turns/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Sends paid prompts to agents. */
export const job = jobWith<typeof wire>()({
  topic: paidTurns,
  handle: (ctx, turn) => carryOutTurn(ctx, turn),
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
