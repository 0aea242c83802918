import type { QueueName } from './functions.ts'

export type { QueueName }

/** Returns the name of the variable with a queue's URL. */
export function queueVariable(queue: QueueName): string {
  return `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`
}

/** AWS recommends at least six times the consumer's timeout, so that a slow batch is not delivered twice. */
export function visibilitySeconds(consumer: { timeoutSeconds: number }): number {
  return consumer.timeoutSeconds * 6
}
