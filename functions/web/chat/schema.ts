import * as z from 'zod'
import { chatAnswer } from '../../../shared/chat/schema.ts'
import { errorEvent } from '../../common/stream-events.ts'

/** The events of a streamed turn: contract.md 7, Chat. */
export const turnEventSchemas = {
  delta: z.lazy(() => z.object({ content: z.string() })),
  done: chatAnswer,
  error: errorEvent,
}
