import { listInstances } from './instances.ts'
import { getStats } from './stats.ts'
import { getVersion } from './version.ts'

export const routes = [getVersion, listInstances, getStats]
