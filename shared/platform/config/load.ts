import * as z from 'zod'
import type { QueueName } from '../queues/port.ts'
import { type Settings, settingsSchema } from './settings.ts'

export interface Config extends Settings {
  /** On AWS, where nothing that is only for one machine may be used. */
  deployed: boolean
  /** The URL of a queue. @throws Error for a queue that this function was not granted */
  queueUrl(queue: QueueName): string
}

/**
 * The settings of this function, read once when its module is loaded. An empty variable counts as absent.
 * @throws Error that names every variable that is wrong, never its value
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = settingsSchema.safeParse(given)
  if (!parsed.success)
    throw new Error(`the configuration is wrong: ${z.prettifyError(parsed.error)}`)
  const deployed = parsed.data.PLATFORM_STAGE !== 'local'
  if (deployed && parsed.data.STAND_IN_PROVIDER_URL !== undefined)
    throw new Error('STAND_IN_PROVIDER_URL is only for one machine; set AI_BASE_URL')
  return {
    ...parsed.data,
    deployed,
    queueUrl(queue) {
      const name = `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`
      const url = given[name]
      if (url === undefined) throw new Error(`${name} is not set: ${queue} was not granted`)
      return url
    },
  }
}
