import type { AiContext } from '../../../shared/ai/context.ts'
import type { ModelSources } from '../../../shared/ai/models/describe.ts'
import { routesWith } from '../../../shared/http/route.ts'

/** The request brings the log. */
export type DemoServices = Omit<AiContext, 'catalogue' | 'log'> & ModelSources

export const route = routesWith<DemoServices>()
