import { postEstimate } from './estimate-cost.ts'
import { getHealth } from './health.ts'
import { listProviderModels } from './list-of-provider.ts'
import { listModels } from './list.ts'
import { postSelect } from './select.ts'

// `select` before `:provider`: of two paths that fit, the first is taken.
export const routes = [getHealth, listModels, postSelect, listProviderModels, postEstimate]
