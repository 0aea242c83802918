import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { localCredentials } from '../clients/credentials.ts'
import { temporaryDir } from '../testing/harness.ts'
import { startQueueEngine } from './engine.ts'

const clientOf = (endpoint: string) => new SQSClient({ endpoint, ...localCredentials() })

async function receive(client: SQSClient, QueueUrl: string) {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  )
  return Messages
}

async function makeQueue(client: SQSClient, name: string, attributes = {}): Promise<string> {
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  )
  return QueueUrl
}

afterEach(() => vi.useRealTimers())

describe('the queue engine', () => {
  test('listens only on loopback', async () => {
    await using dir = await temporaryDir()
    const engine = await startQueueEngine({ dir: dir.path })
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)
    if (outside !== undefined) {
      const socket = connect(engine.port, outside.address)
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
      expect(error.code).toBe('ECONNREFUSED')
    }
    expect((await fetch(`${engine.endpoint}/health`)).status).toBe(403)
    await engine.close()
  })

  test('keeps queues and messages over a restart, and releases messages in flight', async () => {
    await using dir = await temporaryDir()
    const first = await startQueueEngine({ dir: dir.path })
    const before = clientOf(first.endpoint)
    const url = await makeQueue(before, 'kept', { VisibilityTimeout: '600' })
    await before.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'in flight' }))
    expect(await receive(before, url)).toHaveLength(1)
    await before.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'waiting' }))
    const later = { QueueUrl: url, MessageBody: 'delayed', DelaySeconds: 900 }
    await before.send(new SendMessageCommand(later))
    await first.close()

    const second = await startQueueEngine({ dir: dir.path })
    const after = clientOf(second.endpoint)
    const { QueueUrl = '' } = await after.send(new GetQueueUrlCommand({ QueueName: 'kept' }))
    expect(QueueUrl.startsWith(second.endpoint)).toBe(true)
    const messages = await receive(after, QueueUrl)
    const seen = messages.map(({ Body, Attributes }) => [Body, Attributes?.ApproximateReceiveCount])
    expect(seen.sort()).toEqual([
      ['in flight', '2'],
      ['waiting', '1'],
    ])
    const { Attributes } = await after.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    )
    expect(Attributes).toMatchObject({
      VisibilityTimeout: '600',
      ApproximateNumberOfMessagesDelayed: '1',
    })
    await second.close()
  })

  test('returns a message before its time, and keeps counting over a restart', async () => {
    await using dir = await temporaryDir()
    const engine = await startQueueEngine({ dir: dir.path })
    const client = clientOf(engine.endpoint)
    const url = await makeQueue(client, 'back')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'again' }))
    const [message] = await receive(client, url)
    const handle = { QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }
    await client.send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: 0 }))
    await engine.close()
    const second = await startQueueEngine({ dir: dir.path })
    const [again] = await receive(
      clientOf(second.endpoint),
      url.replace(engine.endpoint, second.endpoint),
    )
    expect(again?.Attributes?.ApproximateReceiveCount).toBe('2')
    await second.close()
  })

  test('keeps the delay of a returned message over a restart, without counting a receive', async () => {
    await using dir = await temporaryDir()
    const first = await startQueueEngine({ dir: dir.path })
    const client = clientOf(first.endpoint)
    const url = await makeQueue(client, 'waits', { VisibilityTimeout: '600' })
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'later' }))
    const [message] = await receive(client, url)
    const handle = { QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }
    await client.send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: 60 }))
    await first.close()
    vi.useFakeTimers({ toFake: ['Date'] })
    const start = Date.now()
    for (const [seconds, found] of [
      [0, []],
      [55, []],
      [65, ['2']],
      [66, ['3']],
    ] as const) {
      vi.setSystemTime(start + seconds * 1000)
      const engine = await startQueueEngine({ dir: dir.path })
      const messages = await receive(
        clientOf(engine.endpoint),
        url.replace(first.endpoint, engine.endpoint),
      )
      expect(messages.map(({ Attributes }) => Attributes?.ApproximateReceiveCount)).toEqual(found)
      await engine.close()
    }
  })

  test('loses no acknowledged message to a kill -9', async () => {
    await using dir = await temporaryDir()
    const child = fork(join(import.meta.dirname, '../testing/queue-engine.ts'), [dir.path], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const [endpoint] = (await once(child, 'message')) as [string]
    const client = clientOf(endpoint)
    const url = await makeQueue(client, 'killed')
    const acknowledged: string[] = []
    const killed = new AbortController()
    const sender = async (lane: number) => {
      for (let i = 0; !killed.signal.aborted; i++) {
        const body = `${lane}/${i}`
        const sent = client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }))
        if (await sent.then(() => true).catch(() => false)) acknowledged.push(body)
      }
    }
    const lanes = [0, 1, 2, 3].map(sender)
    while (acknowledged.length < 200) await new Promise(setImmediate)
    child.kill('SIGKILL')
    killed.abort()
    await Promise.all(lanes)

    const engine = await startQueueEngine({ dir: dir.path })
    const after = clientOf(engine.endpoint)
    const found = new Set<string | undefined>()
    for (;;) {
      const messages = await receive(after, url.replace(endpoint, engine.endpoint))
      if (messages.length === 0) break
      for (const { Body } of messages) found.add(Body)
    }
    expect(acknowledged.filter((body) => !found.has(body))).toEqual([])
    await engine.close()
  })
})
