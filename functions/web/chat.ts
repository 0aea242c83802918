import { agentClientHandler } from '../common/agent-client.ts'
import { routes } from './chat/index.ts'

export const handler = agentClientHandler(routes)
