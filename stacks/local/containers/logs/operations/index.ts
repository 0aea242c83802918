import type { Operation } from '../../wire/operation.ts'
import { getLogEvents } from './get-log-events.ts'

/** The operations of CloudWatch Logs that the engine offers, by their names in that API. */
export const logOperations: ReadonlyMap<string, Operation> = new Map([
  ['GetLogEvents', getLogEvents],
])
