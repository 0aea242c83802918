import { agentClientHandler } from '../common/agent-client.ts'
import { routes } from './workspace/index.ts'

export const handler = agentClientHandler(routes)
