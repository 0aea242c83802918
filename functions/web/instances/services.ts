import type { AgentServices } from '../../../shared/agents/context.ts'
import { routesWith } from '../../../shared/http/route.ts'

export const route = routesWith<AgentServices>()
