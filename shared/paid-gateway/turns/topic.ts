import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

/** Turns that payers wait for, each by its id. */
export const paidTurns = topic('paid-turns', () => z.object({ turnId: z.string() }))

export type TurnRef = MessageOf<typeof paidTurns>
