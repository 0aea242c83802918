import type { RateLimit } from '#shared/manifest/types.ts'

/** The limit of all routes below /api/ai, in all functions. */
export const aiLimit: RateLimit = {
  scope: 'ai',
  perMinute: 30,
  message: 'AI rate limit exceeded.',
}
