import type { Queues } from './port.ts'
import type { SqsOptions } from './sqs.ts'

/** The queue port over SQS, whose client is loaded with the first message: for functions that seldom send one. */
export function lazyQueues(options: SqsOptions): Queues {
  let opening: Promise<Queues> | undefined
  const open = () => (opening ??= import('./sqs.ts').then(({ sqsQueues }) => sqsQueues(options)))
  return {
    send: async (topic, body, given) => (await open()).send(topic, body, given),
    sendAll: async (topic, bodies) => (await open()).sendAll(topic, bodies),
  }
}
