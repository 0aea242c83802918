import * as z from 'zod'
import { topic } from '../platform/queues/topic.ts'

/** A request for a reset link: the address that a caller typed. */
export const passwordReset = () => z.object({ email: z.string() })

export type PasswordReset = z.output<ReturnType<typeof passwordReset>>

export const passwordResets = topic<PasswordReset>('password-resets')
