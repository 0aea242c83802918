import * as z from 'zod'
import { type MessageOf, topic } from '../platform/queues/topic.ts'

/** Requests for a reset link: the address that the caller entered. */
export const passwordResets = topic('password-resets', () => z.object({ email: z.string() }))

export type PasswordReset = MessageOf<typeof passwordResets>
