import { listActive } from './active.ts'
import { getHistory } from './history.ts'
import { stopLogs } from './stop.ts'
import { streamLogs } from './stream.ts'

export const routes = [streamLogs, getHistory, stopLogs, listActive]
