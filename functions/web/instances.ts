import { agentManagerHandler } from '../common/agent-manager.ts'
import { routes } from './instances/index.ts'

export const handler = agentManagerHandler(routes)
