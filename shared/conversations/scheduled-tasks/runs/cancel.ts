import { cancelWrite } from '#shared/ai/turns/cancel.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { WebhookEventContext } from '#shared/signals/outbound-webhooks/emit.ts'
import { runRows } from '../rows.ts'
import { finishRun } from './finish.ts'
import type { RunRef } from './topic.ts'

/** The prefix of message ids, which name turns. */
const messageId = 'msg'

/**
 * Cancels a waiting run, or the turn of a started one.
 * @returns false if the run has ended
 * @throws PlatformError 404
 */
export async function cancelTaskRun(
  ctx: Pick<Context, 'table'> & WebhookEventContext,
  { reason, ...ref }: RunRef & { reason: string | null },
): Promise<boolean> {
  const store = userStore(ctx.table, ref.userId)
  const sk = runRows.sk(ref)
  return retryOptimistically(async () => {
    const item = await store.get(sk)
    if (item === undefined) throw notFound('Run')
    const run = runRows.parse(item)
    if (run.state === 'waiting') {
      const end = { state: 'cancelled', reason } as const
      return (await finishRun(ctx, { run, end })) || overtaken
    }
    if (run.state !== 'started') return false
    const refusals = await tryCommit(ctx.table, {
      run: store.write.check(sk, { if: '#state = :seen', values: { seen: 'started' } }),
      cancel: cancelWrite(store, newId(messageId, run.seed), reason),
    })
    return refusals === undefined || overtaken
  })
}
