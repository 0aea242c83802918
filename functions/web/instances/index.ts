import { getAgentStats } from './agent-stats.ts'
import { getInstance } from './details.ts'
import { provisionInstance } from './provision.ts'
import { repairInstance } from './repair.ts'
import { resetInstanceMemory } from './reset-memory.ts'
import { restartInstance } from './restart.ts'
import { startInstance } from './start.ts'
import { getInstanceStats } from './stats.ts'
import { stopInstance } from './stop.ts'
import { updateInstance } from './update.ts'

export const routes = [
  getInstance,
  getInstanceStats,
  getAgentStats,
  startInstance,
  stopInstance,
  restartInstance,
  updateInstance,
  repairInstance,
  resetInstanceMemory,
  provisionInstance,
]
