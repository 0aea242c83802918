import { getByAgent } from './by-agent.ts'
import { getByModel } from './by-model.ts'
import { getDaily } from './daily.ts'
import { getHistory } from './history.ts'
import { getOverview } from './overview.ts'
import { getPerformance } from './performance.ts'
import { reportEvents } from './report.ts'
import { getSummary } from './summary.ts'
import { getTools } from './tools.ts'

export const routes = [
  getSummary,
  getByAgent,
  getByModel,
  getDaily,
  getTools,
  reportEvents,
  getHistory,
  getPerformance,
  getOverview,
]
