import { createAgent } from './create.ts'
import { deleteAgent } from './delete.ts'
import { deployAgent } from './deploy.ts'
import { getAgent } from './get.ts'
import { listAgents } from './list.ts'
import { repairAgent } from './repair.ts'
import { restartAgent } from './restart.ts'
import { startAgent } from './start.ts'
import { stopAgent } from './stop.ts'
import { updateAgent } from './update.ts'

export const routes = [
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  deleteAgent,
  startAgent,
  stopAgent,
  restartAgent,
  repairAgent,
  deployAgent,
]
