import type { RateLimit, Surface } from './types.ts'

/**
 * Limits that are shared by all routes of a surface below a path: spec.md, Rate limits. Routes declare their own
 * limits. No specification sets the summarizer's limit: each of its requests can cause ten seconds of work at another
 * server.
 */
export const surfaceLimits: readonly (RateLimit & {
  surface: Surface
  below: string
  except?: string
})[] = [
  {
    surface: 'backend',
    below: '/api/',
    // Each request of a user for a file of a running agent can cause several requests of its container.
    except: '/api/agent-files/',
    scope: 'general',
    perMinute: 120,
  },
  { surface: 'summarizer', below: '/api/', scope: 'pages', perMinute: 300 },
  { surface: 'web', below: '/api/v1/gateway', scope: 'gateway', perMinute: 100 },
]
