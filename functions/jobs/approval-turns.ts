import { findTurn } from '#shared/ai/turns/turn.ts'
import { converseWhole } from '#shared/conversations/chat/converse.ts'
import { messageRows } from '#shared/conversations/chat/rows.ts'
import { approvalTurns } from '#shared/permits/approvals/topic.ts'
import { tellAgent } from '#shared/permits/approvals/turns/tell.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { newId } from '#shared/platform/ids.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { jobWith } from '../common/job.ts'

/** Tells agents the outcome of their approvals. */
export const job = jobWith<typeof wire>()({
  topic: approvalTurns,
  handle: ({ table, queues, log, requestId, config }, message) =>
    tellAgent(
      {
        table,
        queues,
        log,
        config,
        async turnState({ owner, seed }) {
          const turn = await findTurn(userStore(table, owner), newId(messageRows.id, seed))
          return turn?.state
        },
        ask: ({ owner, seed, ...turn }) =>
          converseWhole(
            {
              table,
              queues,
              config,
              log,
              encryptionKey: config.WALLET_ENCRYPTION_KEY,
              owner,
              requestId,
              seed,
              // No caller can disconnect. The timeouts of the agent client end the call.
              signal: new AbortController().signal,
              by: 'platform',
            },
            { ...turn, stream: false },
          ),
      },
      message,
    ),
})

export function wire(config: ConfigOf<'approval-turns'>) {
  return { services: { table: openTable(config), config } }
}
