import type { AiContext } from '../../../shared/ai/context.ts'
import type { ModelSources } from '../../../shared/ai/models/describe.ts'
import { routesWith } from '../../../shared/http/route.ts'

/** The request brings the log. */
export interface DemoServices extends Omit<AiContext, 'catalogue' | 'log'>, ModelSources {
  /** How long an answer of the demo may take. */
  withinMs: number
}

export const route = routesWith<DemoServices>()
