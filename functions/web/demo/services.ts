import type { AiContext } from '../../../shared/ai/context.ts'
import type { ModelSources } from '../../../shared/ai/models/describe.ts'
import { routesWith } from '../../../shared/http/route.ts'

/** The request brings the log. */
export interface DemoServices extends Omit<AiContext, 'catalogue' | 'log'>, ModelSources {
  /** How long an answer of the demo may take. */
  withinMs: number
  /** DEMO_SPEND_CAP_USD: what all visitors together may cost in a calendar month; null for no limit. */
  capUsd: number | null
}

export const route = routesWith<DemoServices>()
