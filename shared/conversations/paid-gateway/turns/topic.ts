import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** Turns of waiting payers, by id. */
export const paidTurns = topic('paid-turns', () => z.object({ turnId: z.string() }))

export type TurnRef = MessageOf<typeof paidTurns>
