import type { RateLimit, Surface } from './types.ts'

/**
 * What all routes of a surface below a path count against together: spec.md, Rate limits. A route names its own. The
 * summarizer's is ours: each of its requests may have ten seconds of work done at a server of other people.
 */
export const surfaceLimits: readonly (RateLimit & { surface: Surface; below: string })[] = [
  { surface: 'backend', below: '/api/', scope: 'general', perMinute: 120 },
  { surface: 'summarizer', below: '/api/', scope: 'pages', perMinute: 300 },
  { surface: 'web', below: '/api/v1/gateway', scope: 'gateway', perMinute: 100 },
]
