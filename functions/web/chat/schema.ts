import * as z from 'zod'
import { errorEvent } from '#functions/common/stream-events.ts'
import { chatAnswer } from '#shared/conversations/chat/schema.ts'

/** The events of a streamed turn: contract.md 7, Chat. */
export const turnEventSchemas = {
  delta: z.lazy(() => z.object({ content: z.string() })),
  done: z.lazy(chatAnswer),
  error: errorEvent,
}
