import type { Actor } from '#shared/platform/identity/actor.ts'
import { type OpenLimit, openSlot } from '#shared/platform/slots/open.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { counterOf } from './limit.ts'

/** Media types of streamed responses. */
const streamed = /^(text\/event-stream|application\/x-ndjson)/

interface SlotUse {
  table: Table
  limit: OpenLimit
  actor: Actor
  ip: string
  /** True if another server writes the response: each body is then a stream. */
  isForeign?: true | undefined
}

/**
 * Runs a request in one of the caller's slots. A stream keeps its slot until it ends or its reader disconnects.
 * @throws PlatformError 429 TOO_MANY_OPEN
 */
export async function withSlot<Answer>(
  { table, limit, actor, ip, isForeign }: SlotUse,
  answer: () => Promise<Answer> | Answer,
): Promise<Answer | Response> {
  const holder = holderOf(actor, ip)
  if (holder === undefined) return answer()
  const slot = await openSlot(table, limit, holder)
  let isStream = false
  try {
    const made = await answer()
    isStream =
      made instanceof Response && made.body !== null && (isForeign === true || isStreamed(made))
    return isStream ? untilItsEnd(made as Response, () => slot.release()) : made
  } finally {
    if (!isStream) await slot.release()
  }
}

/**
 * Requests with the platform's own key count against the limit of their user. Without one the caller is an operator,
 * who has no limit. An agent's requests count against the limit of its owner.
 */
function holderOf(actor: Actor, ip: string): string | undefined {
  if (actor.type === 'agent' && actor.userId !== null) return `user-${actor.userId}`
  if (actor.type !== 'internal') return counterOf(actor, ip)
  return actor.userId && `user-${actor.userId}`
}

function isStreamed({ headers }: Response): boolean {
  return streamed.test(headers.get('content-type') ?? '')
}

function untilItsEnd(answer: Response, release: () => Promise<void>): Response {
  const reader = answer.body!.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let next: Awaited<ReturnType<typeof reader.read>> | undefined
        try {
          next = await reader.read()
        } finally {
          if (next?.done !== false) await release()
        }
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel(reason) {
        await reader.cancel(reason).finally(release)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: answer.status, headers: answer.headers })
}
