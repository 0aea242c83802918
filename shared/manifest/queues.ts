export interface QueueSpec<Name extends string = QueueName> {
  name: Name
  /** Deliveries before a message moves to the dead-letter queue. */
  maxReceives: number
  /** Batches that its function takes side by side, at most; 10 unless said otherwise. */
  maxConcurrency?: number
}

/** Every queue has a dead-letter queue of the same name with `-dead` behind it. */
export const queues = [
  // Fargate starts 20 tasks a second: more functions that start agents would only be refused more often.
  { name: 'provisioning', maxReceives: 5, maxConcurrency: 2 },
  { name: 'task-events', maxReceives: 8 },
  { name: 'checks', maxReceives: 3 },
  { name: 'notices', maxReceives: 5 },
  { name: 'mails', maxReceives: 8 },
  { name: 'security-events', maxReceives: 8 },
  { name: 'password-resets', maxReceives: 5 },
  { name: 'task-runs', maxReceives: 5 },
  { name: 'entitlements', maxReceives: 8 },
  { name: 'paid-turns', maxReceives: 3 },
] as const satisfies readonly QueueSpec<string>[]

export type QueueName = (typeof queues)[number]['name']

/** The variable of a function that holds a queue's URL. */
export function queueVariable(queue: QueueName): string {
  return `QUEUE_URL_${queue.toUpperCase().replaceAll('-', '_')}`
}

/** AWS asks for at least six times the consumer's timeout, so that a slow batch is not handed out twice. */
export function visibilitySeconds(consumer: { timeoutSeconds: number }): number {
  return consumer.timeoutSeconds * 6
}
