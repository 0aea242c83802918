import { idPrefixes } from '#shared/manifest/ids.ts'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Config } from '#shared/platform/config/load.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { openQueues, type QueueSettings } from '#shared/platform/queues/open.ts'
import type { QueuesOf, ServicesOf, Wire } from './wire.ts'

/**
 * The work of a scheduled function, with the services from `wire`. Messages sent through its queues contain its request
 * id.
 * @returns figures for its log line
 */
export type Tick<Services, Queue extends QueueName = never> = (
  ctx: Services &
    Pick<Context, 'log'> &
    Sends<Queue> & {
      /** The scheduled time, in epoch milliseconds. The tick can run later. */
      scheduledAt: number
    },
) => Promise<object>

/** The tick of a schedule with the services from `wire`. */
export type TickOf<W extends Wire<never>> = Tick<ServicesOf<W>, QueuesOf<W>>

/** The exports of each module in functions/scheduled/. */
export interface TickModule<Services, Settings, Queue extends QueueName> {
  tick: Tick<Services, Queue>
  wire: Wire<Settings, Services>
}

/** Returns the Lambda handler of a scheduled function. It logs one line per tick, with the result or the error. */
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
      // Rethrown, so that the alarm on the function's errors counts it.
      throw error
    }
  }
}

/** A manual invocation by an operator has no time and uses the current time. */
function timeOf(event: { time?: string } | undefined): number {
  const time = Date.parse(event?.time ?? '')
  return Number.isNaN(time) ? Date.now() : time
}

/**
 * Waits for independent steps of a tick. An error of one step does not stop the others.
 * @returns the figures of all steps
 * @throws the error of a step, or an AggregateError if several failed
 */
export async function figuresOf(...steps: readonly Promise<object>[]): Promise<object> {
  const outcomes = await Promise.allSettled(steps)
  const errors = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  )
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} steps failed`)
  if (errors.length === 1) throw errors[0]
  return Object.assign({}, ...outcomes.map((one) => (one.status === 'fulfilled' ? one.value : {})))
}
