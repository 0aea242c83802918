import type { TurnPart } from '../../../shared/chat/converse.ts'
import type { ChatAnswer } from '../../../shared/chat/schema.ts'
import type { ServerSentEvent } from '../../../shared/http/event-stream.ts'
import { errorBody, toPlatformError } from '../../../shared/http/errors.ts'
import type { Log } from '../../../shared/platform/log.ts'

/** A turn as contract.md 7 streams it: `delta` after `delta`, then `done` with the whole answer, or `error`. */
export async function* turnEvents(
  first: Promise<IteratorResult<TurnPart, void>>,
  turn: AsyncGenerator<TurnPart, void>,
  log: Log,
): AsyncGenerator<ServerSentEvent, void> {
  try {
    let next = await first
    for (; next.done !== true; next = await turn.next()) yield toEvent(next.value)
  } catch (thrown) {
    const failure = toPlatformError(thrown)
    const { message: failed, code, cause } = failure
    log.warn('a turn broke off', { failed, code, ...(cause !== undefined && { error: cause }) })
    yield { event: 'error', data: errorBody(failure, 'platform') }
  } finally {
    // Where the reader leaves between two pieces, the turn ends here.
    await turn.return()
  }
}

/** A turn that is over already, for a stream that is kept to be replayed. */
export async function* wholeEvents(answer: ChatAnswer): AsyncGenerator<ServerSentEvent, void> {
  yield toEvent({ delta: answer.reply })
  yield toEvent({ answer })
}

function toEvent(part: TurnPart): ServerSentEvent {
  return 'delta' in part
    ? { event: 'delta', data: { content: part.delta } }
    : { event: 'done', data: part.answer }
}
