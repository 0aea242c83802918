import { routesWith } from '../../../shared/http/route.ts'
import type { LogContext } from '../../../shared/logs/context.ts'
import type { Pace } from '../../../shared/logs/follow.ts'

export interface LogServices extends LogContext {
  /** Signs the ids by which streams are resumed. */
  key: string
  pace: Pace
  /** How long a stream may last, in milliseconds: less than its function lives, so that it ends cleanly. */
  lastsMs: number
}

export const route = routesWith<LogServices>()
