import { newId } from '../platform/ids.ts'
import { userStore } from '../platform/table/user-store.ts'
import { openJournal } from '../turns/journal.ts'
import { type ChatContext, converse } from './converse.ts'
import { messageRows } from './rows.ts'
import type { ChatAnswer } from './schema.ts'
import type { TurnRequest } from './turn-request.ts'

/** A piece of a streamed reply, or the whole, with its place. */
export type NumberedPart = { n: number } & ({ delta: string } | { answer: ChatAnswer })

/** A turn that goes on whether or not it is read, and is kept piece by piece for who comes back to it. */
export interface StreamedTurn {
  /** Of the question. */
  id: string
  /** Once its first piece is there, or it has ended. @throws what the turn fails with before that */
  begun: Promise<void>
  /** Once it has ended, however. */
  over: Promise<void>
  /** What came, from the first piece on, then what comes. @throws what the turn fails with */
  parts(): AsyncGenerator<NumberedPart, void>
  /** The place that is after all that has come. */
  next(): number
}

/** Begins a turn that no reader's leaving ends. */
export function streamTurn(ctx: Omit<ChatContext, 'signal'>, request: TurnRequest): StreamedTurn {
  const id = newId(messageRows.id, ctx.seed)
  const journal = openJournal({ store: userStore(ctx.table, ctx.userId), log: ctx.log }, { id })
  const came: NumberedPart[] = []
  const begun = Promise.withResolvers<void>()
  let news = Promise.withResolvers<void>()
  let end: { failure?: unknown } | undefined
  const tell = () => {
    news.resolve()
    news = Promise.withResolvers()
  }

  async function run(): Promise<void> {
    // The timeouts towards the agent end it, and a cancellation does.
    const { signal } = new AbortController()
    const settled = () => journal.settled()
    try {
      for await (const part of converse({ ...ctx, signal, settled }, request)) {
        const n = 'delta' in part ? journal.add(part.delta) : came.length + 1
        came.push({ n, ...part })
        begun.resolve()
        tell()
      }
      end = {}
      begun.resolve()
    } catch (failure) {
      end = { failure }
      begun.reject(failure)
    }
    tell()
  }

  const over = run()
  // Who reads the parts is told of a failure there.
  begun.promise.catch(() => undefined)
  return {
    id,
    begun: begun.promise,
    over,
    next: () => came.length + 1,
    async *parts() {
      for (let i = 0; ; i++) {
        while (i >= came.length && end === undefined) await news.promise
        const part = came[i]
        if (part === undefined) break
        yield part
      }
      if (end !== undefined && 'failure' in end) throw end.failure
    },
  }
}
