import type { RateLimit } from '#shared/manifest/types.ts'

/** The limit of all routes below /api/agents, in all functions. */
export const agentsLimit: RateLimit = { scope: 'agents', perMinute: 100 }
