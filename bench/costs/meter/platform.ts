import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { functions } from '#shared/manifest/index.ts'
import { build } from '#stacks/build/build.ts'
import { localCredentials } from '#stacks/local/clients/credentials.ts'
import { startStack, type Stack } from '#stacks/local/stack.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'
import { testAccessKey } from '#tests/support/platform/credentials.ts'

/** On-demand request units of DynamoDB, for the table and its index together. */
export interface Units {
  reads: number
  writes: number
}

export interface MeteredStack extends AsyncDisposable {
  stack: Stack
  /** The folder of all functions' bundles. */
  bundles: string
  secrets: Record<string, string>
  /** Returns the consumption of some work, including all functions and queues that it triggers. */
  measure<T>(work: () => Promise<T>): Promise<Units & { result: T }>
}

const root = join(import.meta.dirname, '../../..')

/** The edge's secret, which proves the caller's address. */
export const originSecret = 'the origin secret of the meter'

const lookEveryMs = 10

/**
 * Starts a local platform with a metered database: real functions, queues and agents, but no schedules, which would disturb
 * the measurement. Rate limits are on, as on AWS, because counting a request is a write.
 */
export async function startMeteredStack(): Promise<MeteredStack> {
  await using started = new AsyncDisposableStack()
  const { functionsDir } = await build({
    functions,
    root,
    outDir: join(root, 'dist'),
  })
  const dataDir = await mkdtemp(join(tmpdir(), 'platform-costs-'))
  started.defer(() => rm(dataDir, { recursive: true, force: true }))
  const credentials = localCredentials(testAccessKey)
  const total: Units = { reads: 0, writes: 0 }
  const stack = await startStack({
    root,
    bundles: functionsDir,
    schedules: 'off',
    onConsumed({ reads, writes }) {
      total.reads += reads
      total.writes += writes
    },
    environment: {
      DATA_DIR: dataDir,
      ...freePorts,
      RATE_LIMITS: 'on',
      ORIGIN_SECRET: originSecret,
      LOCAL_ACCESS_KEY_ID: credentials.credentials.accessKeyId,
    },
  })
  started.defer(() => stack.close())
  const secrets = JSON.parse(await readFile(stack.secretsFile, 'utf8')) as Record<string, string>
  const sqs = started.adopt(
    new SQSClient({ endpoint: stack.endpoints.sqs, ...credentials }),
    (client) => client.destroy(),
  )

  async function waiting(): Promise<number> {
    const counts = await Promise.all(
      Object.values(stack.queueUrls).map(async (QueueUrl) => {
        const { Attributes = {} } = await sqs.send(
          new GetQueueAttributesCommand({
            QueueUrl,
            AttributeNames: [
              'ApproximateNumberOfMessages',
              'ApproximateNumberOfMessagesNotVisible',
            ],
          }),
        )
        return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0)
      }),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /**
   * Waits until nothing is active. A function sends its messages before it ends, and a message exists until its function has
   * ended, so nothing is missed between the two checks. Delayed messages, such as later checks of an agent, do not count.
   */
  async function settle(): Promise<void> {
    for (;;) {
      while (stack.host.underWay > 0) await wait(lookEveryMs)
      const before = total.reads + total.writes
      const idle = (await waiting()) === 0 && stack.host.underWay === 0
      if (idle && total.reads + total.writes === before) return
      await wait(lookEveryMs)
    }
  }

  const resources = started.move()
  return {
    stack,
    bundles: functionsDir,
    secrets,
    async measure(work) {
      const { reads, writes } = total
      const result = await work()
      await settle()
      return { reads: total.reads - reads, writes: total.writes - writes, result }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
