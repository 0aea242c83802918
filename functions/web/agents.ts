import { agentManagerHandler } from '../common/agent-manager.ts'
import { routes } from './agents/index.ts'

export const handler = agentManagerHandler(routes)
