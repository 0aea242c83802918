import type { AiContext } from '../../../shared/ai/context.ts'
import { routesWith } from '../../../shared/http/route.ts'

/** The request brings the log. */
export type AiServices = Omit<AiContext, 'log'> & { adminEmails: string[] }

export const route = routesWith<AiServices>()
