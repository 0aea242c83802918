import type { QueuesFor } from './port.ts'
import type { SqsOptions } from './sqs.ts'

/** The queue port over SQS, whose client is loaded with the first message: for functions that seldom send one. */
export function lazyQueues(options: SqsOptions): QueuesFor {
  let opening: Promise<QueuesFor> | undefined
  const open = () => (opening ??= import('./sqs.ts').then(({ sqsQueues }) => sqsQueues(options)))
  return (origin) => ({
    send: async (topic, body, given) => (await open())(origin).send(topic, body, given),
    sendAll: async (topic, bodies) => (await open())(origin).sendAll(topic, bodies),
  })
}
