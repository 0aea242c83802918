import type { QueueName } from './functions.ts'

export type { QueueName }

/** The variable of a function that holds a queue's URL. */
export function queueVariable(queue: QueueName): string {
  return `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`
}

/** AWS asks for at least six times the consumer's timeout, so that a slow batch is not handed out twice. */
export function visibilitySeconds(consumer: { timeoutSeconds: number }): number {
  return consumer.timeoutSeconds * 6
}
