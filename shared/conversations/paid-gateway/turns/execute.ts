import { isAwakeLimit } from '#shared/agents/record/awake.ts'
import { nameOf } from '#shared/ai/turns/turn.ts'
import { type ChatContext, converseWhole } from '#shared/conversations/chat/converse.ts'
import { longestContent } from '#shared/conversations/chat/message.ts'
import { messageRows } from '#shared/conversations/chat/rows.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { turnRows } from './rows.ts'
import type { TurnRef } from './topic.ts'

/** Separates the turns of payers from the owner's conversations. */
const topic = 'paid gateway'

/**
 * Sends a payer's message to an agent: once even if the delivery is repeated, and not after the payer has stopped
 * waiting. Each turn is independent, so that no payer sees another's messages.
 */
export async function executeTurn(
  ctx: Omit<ChatContext, 'platform' | 'signal' | 'timeouts' | 'owner'>,
  { turnId }: TurnRef,
): Promise<void> {
  const { table } = ctx
  const key = turnRows.key({ turnId })
  const row = await table.get(key)
  const turn = row && turnRows.parse(row)
  const leftMs = (turn?.until ?? 0) - Date.now()
  if (turn?.state !== 'asked' || leftMs <= 0) return
  const { agentId, userId, message, earnsMicroUsd: mostDrawnMicroUsd } = turn
  const isClaimed = await tryWrite(
    table.update(key, {
      set: { state: 'started', turn: nameOf(newId(messageRows.id, ctx.seed)) },
      if: '#state = :asked',
      values: { asked: 'asked' },
    }),
  )
  if (!isClaimed) return
  const timeouts = { idleMs: leftMs, totalMs: leftMs }
  const signal = AbortSignal.timeout(leftMs)
  try {
    const answer = await converseWhole(
      { ...ctx, owner: userId, signal, timeouts, platform: 'gateway', mostDrawnMicroUsd },
      { agentId, message, topic, alone: true, stream: false },
    )
    // Truncated as in the history, so that it fits into a row.
    const reply = answer.reply.slice(0, longestContent).toWellFormed()
    await table.update(key, { set: { state: 'answered', answer: { ...answer, reply } } })
  } catch (error) {
    if (!(error instanceof PlatformError)) ctx.log.error('a paid turn failed', { turnId, error })
    await table.update(key, { set: { state: 'failed', failure: payerMessage(error) } })
  }
}

/** Returns the error message for the payer, who must not learn the names of the owner's other agents. */
function payerMessage(error: unknown): string {
  if (isAwakeLimit(error)) return 'it cannot be woken now'
  return error instanceof PlatformError ? error.message : 'something went wrong'
}
