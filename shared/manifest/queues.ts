import type { FunctionSpec, QueueName, QueueSpec } from './types.ts'

/** Every queue has a dead-letter queue of the same name with `-dead` behind it. */
export const queues: readonly QueueSpec[] = [
  { name: 'provisioning', maxReceives: 5 },
  { name: 'task-events', maxReceives: 8 },
  { name: 'checks', maxReceives: 3 },
  { name: 'notices', maxReceives: 5 },
  { name: 'mails', maxReceives: 8 },
  { name: 'security-events', maxReceives: 8 },
  { name: 'password-resets', maxReceives: 5 },
  { name: 'task-runs', maxReceives: 5 },
]

/** The variable of a function that holds a queue's URL. */
export function queueVariable(queue: QueueName): string {
  return `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`
}

/** AWS asks for at least six times the consumer's timeout, so that a slow batch is not handed out twice. */
export function visibilitySeconds(consumer: FunctionSpec): number {
  return consumer.timeoutSeconds * 6
}
