import type { QueueName } from '#shared/manifest/queues.ts'

/** Creates the services of a job or tick once, from the settings that the manifest grants to its function. */
export type Wire<Settings, Services = unknown> = (config: Settings) => { services: Services }

/** The queues that the function of a `wire` is granted to send to. */
export type QueuesOf<W extends Wire<never>> = Parameters<W>[0] extends {
  queueUrl: (queue: infer Queue extends QueueName) => string
}
  ? Queue
  : never

export type ServicesOf<W extends Wire<never>> = ReturnType<W>['services']
