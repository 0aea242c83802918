import { routesWith } from '#shared/http/route.ts'
import type { TargetCheck } from '#shared/platform/health/check.ts'
import { readiness } from '#shared/platform/health/ready.ts'
import { Readiness } from '#shared/platform/health/schema.ts'

export interface HasLooks {
  /** The checks of the services that this surface needs, by name. */
  looks: Record<string, TargetCheck>
}

/** GET /health/ready. Every surface has it. */
export const ready = routesWith<HasLooks>()({
  name: 'health.ready',
  method: 'GET',
  path: '/health/ready',
  summary: 'Check readiness',
  tag: 'health',
  guard: 'none',
  unlimited: 'health',
  response: Readiness,
  errors: ['unavailable'],
  handle: async ({ looks, log }) => {
    const answer = await readiness(looks, log)
    return answer.status === 'ready' ? answer : Response.json(answer, { status: 503 })
  },
})
