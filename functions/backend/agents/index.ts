import { createAgent } from './create.ts'
import { deleteAgent } from './delete.ts'
import { deployAgent } from './deploy.ts'
import { getToken } from './get-token.ts'
import { getAgent } from './get.ts'
import { listAgents } from './list.ts'
import { provisionAgent } from './provision.ts'
import { repairAgent } from './repair.ts'
import { resetMemory } from './reset-memory.ts'
import { restartAgent } from './restart.ts'
import { rotateToken } from './rotate-token.ts'
import { startAgent } from './start.ts'
import { stopAgent } from './stop.ts'
import { updateImage } from './update-image.ts'
import { updateAgent } from './update.ts'
import { getVerification } from './verification.ts'

export const routes = [
  getVerification,
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  deleteAgent,
  startAgent,
  stopAgent,
  restartAgent,
  repairAgent,
  updateImage,
  resetMemory,
  getToken,
  rotateToken,
  deployAgent,
  provisionAgent,
]
