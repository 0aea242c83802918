import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** Requests for a reset link, with the address that the caller entered, and the caller's network (`addressNetwork`). */
export const passwordResets = topic('password-resets', () =>
  z.object({ email: z.string(), network: z.string().optional() }),
)

export type PasswordReset = MessageOf<typeof passwordResets>
