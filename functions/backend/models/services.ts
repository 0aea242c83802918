import type { AiHealth } from '../../../shared/ai/health/check.ts'
import type { ModelSources } from '../../../shared/ai/models/describe.ts'
import { routesWith } from '../../../shared/http/route.ts'

export interface ModelServices extends ModelSources {
  checkHealth(): Promise<AiHealth>
}

export const route = routesWith<ModelServices>()
