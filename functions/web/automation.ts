import { agentClientHandler } from '../common/agent-client.ts'
import { routes } from './automation/index.ts'

export const handler = agentClientHandler(routes)
