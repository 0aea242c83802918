import type { RateLimit } from '../../../shared/manifest/types.ts'

/** Everything below /api/ai, in whichever function it is. */
export const aiLimit: RateLimit = {
  scope: 'ai',
  perMinute: 30,
  message: 'AI rate limit exceeded.',
}
