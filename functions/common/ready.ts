import { type Probe, readiness } from '../../shared/health/ready.ts'
import { Readiness } from '../../shared/health/schema.ts'
import { routesWith } from '../../shared/http/route.ts'

export interface ReadyServices {
  /** What must work before this surface can, by name. */
  probes: Record<string, Probe>
}

/** GET /health/ready, the same on every surface. */
export const ready = routesWith<ReadyServices>()({
  method: 'GET',
  path: '/health/ready',
  summary: 'Whether this surface can do its work',
  tag: 'health',
  guard: 'none',
  response: Readiness,
  errors: ['unavailable'],
  handle: async ({ probes, log }) => {
    const answer = await readiness(probes, log)
    return answer.status === 'ready' ? answer : Response.json(answer, { status: 503 })
  },
})
