import type { QueueName } from '../../shared/manifest/queues.ts'

/** Makes what a job or a tick stands on, once, of the settings that the manifest grants its function. */
export type Wire<Settings, Services = unknown> = (config: Settings) => { services: Services }

/** The queues that the grants of a wire's function let it send by. */
export type QueuesOf<W extends Wire<never>> = Parameters<W>[0] extends {
  queueUrl: (queue: infer Queue extends QueueName) => string
}
  ? Queue
  : never

export type ServicesOf<W extends Wire<never>> = ReturnType<W>['services']
