import { getConfig } from './get-config.ts'
import { getAgent } from './get.ts'
import { listAgents } from './list.ts'
import { listMessages } from './messages.ts'
import { provisionAgent } from './provision.ts'
import { issueTicket } from './ticket.ts'
import { putConfig } from './put-config.ts'

export const routes = [
  listAgents,
  listMessages,
  provisionAgent,
  getAgent,
  issueTicket,
  getConfig,
  putConfig,
]
