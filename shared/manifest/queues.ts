import type { QueueName } from './functions.ts'

export type { QueueName }

/** Returns the name of the variable with a queue's URL. */
export function queueVariable(queue: QueueName): string {
  return `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`
}

/**
 * Returns six times the consumer's timeout, the minimum that AWS recommends, so that a slow batch is not delivered
 * twice.
 */
export function visibilitySeconds(consumer: { timeoutSeconds: number }): number {
  return consumer.timeoutSeconds * 6
}
