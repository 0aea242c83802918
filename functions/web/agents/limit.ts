import type { RateLimit } from '../../../shared/manifest/types.ts'

/** Everything below /api/agents, in whichever function it is. */
export const agentsLimit: RateLimit = { scope: 'agents', perMinute: 100 }
