import { routesWith } from '../../../shared/http/route.ts'
import type { AgentClientServices } from '../../common/agent-client.ts'

export const route = routesWith<AgentClientServices>()
