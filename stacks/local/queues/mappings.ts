import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { type FunctionSpec, functionsInLoops, type QueueName } from '#shared/manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'
import { type Mapping, startMapping } from './mapping.ts'

export interface MappingsOptions {
  client: SQSClient
  host: FunctionHost
  functions: readonly FunctionSpec[]
  queueUrls: Record<QueueName, string>
  onProblem(queue: QueueName, message: string, error: unknown): void
}

/** Starts the event source mappings of all queue functions. */
export async function startMappings(options: MappingsOptions): Promise<Mapping> {
  const { client, host, queueUrls } = options
  const looping = functionsInLoops(options.functions)
  const mappings = await Promise.all(
    options.functions.map(async (spec) => {
      if (spec.trigger.kind !== 'queue') return []
      const { queue, batchSize, batchWindowSeconds: windowSeconds } = spec.trigger
      const queueUrl = queueUrls[queue]
      const queueArn = await arnOf(client, queueUrl)
      const onProblem = (message: string, error: unknown) =>
        options.onProblem(queue, message, error)
      return [
        startMapping({
          client,
          host,
          spec,
          batchSize,
          windowSeconds,
          queueUrl,
          queueArn,
          loops: looping.has(spec.name),
          onProblem,
        }),
      ]
    }),
  )
  return {
    async close() {
      await Promise.all(mappings.flat().map((mapping) => mapping.close()))
    },
  }
}

async function arnOf(client: SQSClient, queueUrl: string): Promise<string> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
  )
  const arn = Attributes?.['QueueArn']
  if (arn === undefined) throw new Error(`${queueUrl} has no ARN`)
  return arn
}
