import { openJournal } from '#shared/ai/turns/journal.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type ChatContext, converse } from './converse.ts'
import { messageRows } from './rows.ts'
import type { ChatAnswer } from './schema.ts'
import type { TurnRequest } from './turn-request.ts'

/** A part of a streamed reply, or the whole answer, with its number. */
type NumberedPart = { n: number } & ({ delta: string } | { answer: ChatAnswer })

/** A turn that continues without a reader. Its parts are stored, so that a reader can resume. */
export interface StreamedTurn {
  /** The question's id. */
  id: string
  /**
   * Resolves with the first part, or when the turn ends.
   * @throws the turn's failure before the first part
   */
  begun: Promise<void>
  /** Resolves when the turn has ended, whether or not it failed. */
  over: Promise<void>
  /**
   * Yields all parts so far, then new ones.
   * @throws the turn's failure
   */
  parts(): AsyncGenerator<NumberedPart, void>
  /** Returns the number of the next part. */
  next(): number
}

/** Starts a turn that continues if its reader disconnects. */
export function streamTurn(ctx: Omit<ChatContext, 'signal'>, request: TurnRequest): StreamedTurn {
  const id = newId(messageRows.id, ctx.seed)
  const journal = openJournal({ store: userStore(ctx.table, ctx.owner), log: ctx.log }, { id })
  const received: NumberedPart[] = []
  const begun = Promise.withResolvers<void>()
  let news = Promise.withResolvers<void>()
  let end: { failure?: unknown } | undefined
  const notify = () => {
    news.resolve()
    news = Promise.withResolvers()
  }

  async function run(): Promise<void> {
    // Only the agent's timeouts and a cancellation end the turn.
    const { signal } = new AbortController()
    const settled = () => journal.settled()
    try {
      for await (const part of converse({ ...ctx, signal, settled }, request)) {
        const n = 'delta' in part ? journal.add(part.delta) : received.length + 1
        received.push({ n, ...part })
        begun.resolve()
        notify()
      }
      end = {}
      begun.resolve()
    } catch (failure) {
      end = { failure }
      begun.reject(failure)
    }
    notify()
  }

  const over = run()
  // Readers of the parts receive the failure there.
  begun.promise.catch(() => undefined)
  return {
    id,
    begun: begun.promise,
    over,
    next: () => received.length + 1,
    async *parts() {
      for (let i = 0; ; i++) {
        while (i >= received.length && end === undefined) await news.promise
        const part = received[i]
        if (part === undefined) break
        yield part
      }
      if (end !== undefined && 'failure' in end) throw end.failure
    },
  }
}
