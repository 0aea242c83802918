import { followTurn } from '#shared/ai/turns/follow.ts'
import { answerOf } from '#shared/conversations/chat/ended-turn.ts'
import type { ChatAnswer } from '#shared/conversations/chat/schema.ts'
import type { StreamedTurn } from '#shared/conversations/chat/streamed-turn.ts'
import { errorBody, toPlatformError } from '#shared/http/errors.ts'
import type { ServerSentEvent } from '#shared/http/event-stream.ts'
import type { Log } from '#shared/platform/log.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'

/** The events of a turn. undefined means that there is currently no event. */
type Events = AsyncGenerator<ServerSentEvent | undefined, void>

const idOf = (turn: string, n: number) => `${turn}:${n}`

/**
 * Yields the events of a turn (contract.md 7 and 11): `delta` events, then `done` with the whole answer, or `error`.
 */
export async function* turnEvents(turn: StreamedTurn, log: Log): Events {
  try {
    for await (const { n, ...part } of turn.parts()) {
      const id = idOf(turn.id, n)
      yield 'delta' in part ? deltaEvent(id, part.delta) : doneEvent(id, part.answer)
    }
  } catch (thrown) {
    const failure = toPlatformError(thrown)
    const { message: failed, code, cause } = failure
    log.warn('a turn was interrupted', {
      failed,
      code,
      ...(cause !== undefined && { error: cause }),
    })
    yield failedEvent(idOf(turn.id, turn.next()), errorBody(failure, 'platform'))
  }
}

/** Yields the events of a finished turn, for a stored response. */
export async function* wholeEvents(turnId: string, answer: ChatAnswer): Events {
  yield deltaEvent(idOf(turnId, 1), answer.reply)
  yield doneEvent(idOf(turnId, 2), answer)
}

/** Yields the events of a turn that another process may be running, after those that the reader already has. */
export async function* followedEvents(
  store: UserStore,
  following: { id: string; after: number; signal: AbortSignal },
): Events {
  for await (const next of followTurn(store, following)) {
    if (next === null) {
      yield undefined
      continue
    }
    const id = idOf(following.id, next.n)
    if ('piece' in next) yield deltaEvent(id, next.piece)
    else if (next.ended.state === 'finished') yield doneEvent(id, await answerOf(store, next.ended))
    else yield failedEvent(id, next.ended.error ?? { error: 'The turn failed' })
  }
}

/** Returns the position of the last event that a reader has. 0 if the id belongs to another turn or is empty. */
export function placeIn(turnId: string, lastEventId: string): number {
  const [, n] = /^[a-z]+_[0-9a-z]{26}:(\d{1,9})$/.exec(lastEventId) ?? []
  return n !== undefined && lastEventId === idOf(turnId, Number(n)) ? Number(n) : 0
}

function deltaEvent(id: string, content: string): ServerSentEvent {
  return { id, event: 'delta', data: { content } }
}

function doneEvent(id: string, answer: ChatAnswer): ServerSentEvent {
  return { id, event: 'done', data: answer }
}

function failedEvent(id: string, body: Record<string, unknown>): ServerSentEvent {
  return { id, event: 'error', data: body }
}
