import { getBilling, postBilling } from './billing.ts'
import { getCost } from './cost.ts'
import { getCredits } from './credits.ts'
import { getMetrics } from './metrics.ts'
import { testUsage } from './test-usage.ts'

export const routes = [getCost, getMetrics, getCredits, getBilling, postBilling, testUsage]
