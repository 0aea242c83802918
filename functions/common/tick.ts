import { newId } from '../../shared/platform/ids.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { createLog, type Log } from '../../shared/platform/log.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'

/** What a tick is given. What is sent by its queues says that this tick was the cause. */
export interface TickServices {
  log: Log
  queues: Queues
}

/** The handler of a function that runs by a schedule: one line a tick, with what it came to or why it failed. */
export function tick(config: Config, message: string, run: (ctx: TickServices) => Promise<object>) {
  const queuesFor = openQueues(config)
  return async (): Promise<void> => {
    const started = performance.now()
    const requestId = newId('request')
    const log = createLog({ function: config.FUNCTION_NAME, requestId })
    const queues = queuesFor({ requestId, askedBy: 'platform' })
    const elapsed = () => Math.round(performance.now() - started)
    try {
      const round = await run({ log, queues })
      log.info(message, { ...round, ms: elapsed() })
    } catch (error) {
      log.error(message, { ms: elapsed(), error })
      // The alarm counts the function's errors.
      throw error
    }
  }
}
