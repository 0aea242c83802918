import type { GateContext } from '../../../shared/agents/gate/context.ts'
import { routesWith } from '../../../shared/http/route.ts'

export const route = routesWith<GateContext>()
