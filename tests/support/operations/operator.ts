import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { routes } from '#functions/backend/infra-mcp.ts'
import type { Services as OperatorServices } from '#functions/backend/infra-mcp/tools.ts'
import type { CompletionUsage } from '#shared/ai/usage/event.ts'
import { createApp } from '#shared/http/app.ts'
import { functions, type QueueName, queues } from '#shared/manifest/index.ts'
import { queueDepth } from '#shared/platform/queues/depth.ts'
import { createQueues } from '#stacks/local/queues/create.ts'
import { startQueueEngine } from '#stacks/local/queues/engine.ts'
import { recordCompletion } from '../ai/recorded-completions.ts'
import { internalKey } from '../http/internal-caller.ts'
import { connectClient } from '../http/mcp-client.ts'
import { startTestTable } from '../platform/table.ts'

/** Starts the operators' tools over a table and queues of their own, with a client. */
export async function startOperator() {
  const database = await startTestTable()
  const dir = await mkdtemp(join(tmpdir(), 'operator-'))
  const engine = await startQueueEngine({ dir })
  const sqs = new SQSClient({ endpoint: engine.endpoint })
  const urls = await createQueues(sqs, { queues, functions })
  const { table } = database
  const services: OperatorServices = {
    table,
    watchedQueues: { depthOf: queueDepth(engine.endpoint), urls },
  }
  const app = createApp({
    surface: 'backend',
    name: 'backend-infra-mcp',
    routes,
    services,
    settings: { INTERNAL_API_KEY: internalKey },
    table,
  })
  const client = await connectClient('http://backend.test/api/infra-mcp', internalKey, {
    fetch: async (url, init) => app.request(url instanceof Request ? url : String(url), init),
  })

  return {
    table,
    client,

    /** Returns a tool's structured content. */
    async ask(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
      const answer = await client.callTool({ name, arguments: args })
      const { content, isError, structuredContent } = answer
      if (isError === true || structuredContent === undefined || structuredContent === null)
        throw new Error(`${name}: ${JSON.stringify(content)}`)
      return { ...structuredContent }
    },

    /** Records a completion as the gateway does. */
    async completed(userId: string, given: Partial<CompletionUsage> = {}): Promise<void> {
      await recordCompletion(table, { userId, ...given })
    },

    /** Sends messages to a queue, or to its dead-letter queue. */
    async send(queue: QueueName, { dead = false, delaySeconds = 0 } = {}): Promise<void> {
      const QueueUrl = dead ? `${urls[queue]}-dead` : urls[queue]
      await sqs.send(
        new SendMessageCommand({ QueueUrl, MessageBody: '{}', DelaySeconds: delaySeconds }),
      )
    },

    async close(): Promise<void> {
      await client.close()
      sqs.destroy()
      await Promise.all([engine.close(), database.close()])
      await rm(dir, { recursive: true, force: true })
    },
  }
}
