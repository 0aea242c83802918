import { getAgent } from './get.ts'
import { listAgents } from './list.ts'
import { provisionAgent } from './provision.ts'

export const routes = [listAgents, provisionAgent, getAgent]
