import type { QueueName } from './functions.ts'

export type { QueueName }

/**
 * The variable with the beginning of all queues' URLs. It is set for a function that reaches every queue: its other
 * variables contain only the queues' names, because all URLs would exceed the 4 KB of variables that Lambda allows.
 */
export const queueBaseVariable = 'QUEUE_BASE_URL'

/** Returns the name of the variable with a queue's URL, or with its name if `queueBaseVariable` is set. */
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
