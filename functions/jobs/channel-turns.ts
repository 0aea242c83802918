import { findTurn } from '#shared/ai/turns/turn.ts'
import { channelTurns } from '#shared/conversations/channels/topic.ts'
import { attemptChat } from '#shared/conversations/channels/turns/attempt.ts'
import { converseWhole } from '#shared/conversations/chat/converse.ts'
import { messageRows } from '#shared/conversations/chat/rows.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { newId } from '#shared/platform/ids.ts'
import { queuedMailer } from '#shared/platform/mail/queued-mailer.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { jobWith } from '../common/job.ts'

/** Carries out the events of channels, one turn each. */
export const job = jobWith<typeof wire>()({
  topic: channelTurns,
  handle: (ctx, message) => {
    const { table, queues, log, requestId, config } = ctx
    const { WALLET_ENCRYPTION_KEY: key } = config
    return attemptChat(
      {
        ...ctx,
        encryptionKey: key,
        adminEmails: config.ADMIN_EMAILS,
        webUrl: config.WEB_URL,
        mailer: queuedMailer(queues, key === undefined ? undefined : sealer(key)),
        async findAnswer({ owner, agentId, seed }) {
          const store = userStore(table, owner)
          const turn = await findTurn(store, newId(messageRows.id, seed))
          if (turn === undefined) return undefined
          const answer =
            turn.answer && (await store.get(messageRows.sk({ agentId, seed: turn.answer })))
          return { state: turn.state, text: answer ? messageRows.parse(answer).content : undefined }
        },
        async ask({ owner, seed, ...turn }) {
          const { reply } = await converseWhole(
            {
              table,
              queues,
              config,
              log,
              encryptionKey: key,
              owner,
              requestId,
              seed,
              // No caller can disconnect. The timeouts of the agent client end the call.
              signal: new AbortController().signal,
              by: 'platform',
            },
            { ...turn, stream: false },
          )
          return reply
        },
      },
      message,
    )
  },
})

export function wire(config: ConfigOf<'channel-turns'>) {
  return { services: { table: openTable(config), packs: s3PartialObjects(config), config } }
}
