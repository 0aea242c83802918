import * as z from 'zod'
import { topic } from '#shared/platform/queues/topic.ts'

/** Users whose paid access may have changed. The consumer derives the work from their rows. */
export const entitlements = topic('entitlements', () => z.object({ userId: z.string() }))
