import type { RateLimit, Surface } from './types.ts'

/** What all routes of a surface below a path count against together: spec.md, Rate limits. A route names its own. */
export const surfaceLimits: readonly (RateLimit & { surface: Surface; below: string })[] = [
  { surface: 'backend', below: '/api/', scope: 'general', perMinute: 120 },
  { surface: 'web', below: '/api/v1/gateway', scope: 'gateway', perMinute: 100 },
]
