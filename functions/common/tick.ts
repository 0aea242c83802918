import type { QueueName } from '../../shared/manifest/queues.ts'
import { idPrefixes } from '../../shared/manifest/ids.ts'
import { newId } from '../../shared/platform/ids.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { createLog, type Log } from '../../shared/platform/log.ts'
import { openQueues, type QueueSettings } from '../../shared/platform/queues/open.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import type { QueuesOf, ServicesOf, Wire } from './wire.ts'

/** What a tick is given, beside what `wire` made. What is sent by its queues says that this tick was the cause. */
export interface TickContext<Queue extends QueueName = never> {
  log: Log
  queues: Queues<Queue>
  /** The time that its schedule meant, which it may be behind: epoch milliseconds. */
  scheduledAt: number
}

/** What a schedule's function does each time. @returns figures for its log line */
export type Tick<Services, Queue extends QueueName = never> = (
  ctx: Services & TickContext<Queue>,
) => Promise<object>

/** The tick of a schedule whose services `wire` makes. */
export type TickOf<W extends Wire<never>> = Tick<ServicesOf<W>, QueuesOf<W>>

/** What each module in functions/scheduled/ exports. */
export interface TickModule<Services, Settings, Queue extends QueueName> {
  tick: Tick<Services, Queue>
  wire: Wire<Settings, Services>
}

/**
 * The carrier of a tick: the handler of a function that runs by a schedule. It writes one line a tick, with what it
 * came to or why it failed.
 */
export function tickHandler<Services, Settings, Queue extends QueueName>(
  { tick, wire }: TickModule<Services, Settings, Queue>,
  config: Settings & QueueSettings<QueueName> & Pick<Config, 'FUNCTION_NAME'>,
) {
  const { services } = wire(config)
  const queuesFor = openQueues(config)
  const message = `${config.FUNCTION_NAME} tick`
  return async (event?: { time?: string }): Promise<void> => {
    const started = performance.now()
    const requestId = newId(idPrefixes.request)
    const log = createLog({ function: config.FUNCTION_NAME, requestId })
    const queues = queuesFor({ requestId, askedBy: 'platform' })
    const elapsed = () => Math.round(performance.now() - started)
    try {
      const round = await tick({ ...services, log, queues, scheduledAt: timeOf(event) })
      log.info(message, { ...round, ms: elapsed() })
    } catch (error) {
      log.error(message, { ms: elapsed(), error })
      // The alarm counts the function's errors.
      throw error
    }
  }
}

/** A run that an operator asks for by hand carries no time: it is for now. */
function timeOf(event: { time?: string } | undefined): number {
  const time = Date.parse(event?.time ?? '')
  return Number.isNaN(time) ? Date.now() : time
}
