import type { Operation } from '#stacks/local/containers/wire/operation.ts'
import { getLogEvents } from './get-log-events.ts'

/** The CloudWatch Logs operations that the engine supports, by their API names. */
export const logOperations: ReadonlyMap<string, Operation> = new Map([
  ['GetLogEvents', getLogEvents],
])
