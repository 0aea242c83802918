import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs'
import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startContainers } from '../containers/start.ts'
import { startDatabase } from '../database/server.ts'
import { startOutbox } from '../outbox/server.ts'
import { startQueueEngine } from '../queues/engine.ts'
import { temporaryDir } from '../testing/harness.ts'
import { type LocalCredentials, localCredentials } from './credentials.ts'

type Call = (endpoint: string, credentials: LocalCredentials) => Promise<unknown>

const callEcs: Call = async (endpoint, credentials) => {
  const client = new ECSClient({ endpoint, ...credentials, maxAttempts: 1 })
  return client.send(new ListTasksCommand({ cluster: 'own' }))
}

const callLogs: Call = async (endpoint, credentials) => {
  const client = new CloudWatchLogsClient({ endpoint, ...credentials, maxAttempts: 1 })
  const stream = { logGroupName: 'agents', logStreamName: 'agent/agent/none' }
  return client.send(new GetLogEventsCommand(stream)).catch((error: Error) => {
    if (error.name !== 'ResourceNotFoundException') throw error
  })
}

const callDatabase: Call = async (endpoint, credentials) =>
  new DynamoDBClient({ endpoint, ...credentials, maxAttempts: 1 }).send(new ListTablesCommand({}))

const callQueues: Call = async (endpoint, credentials) =>
  new SQSClient({ endpoint, ...credentials, maxAttempts: 1 }).send(new ListQueuesCommand({}))

const callMail: Call = async (endpoint, credentials) => {
  const client = new SESv2Client({ endpoint, ...credentials, maxAttempts: 1 })
  const content = { Data: 'hi' }
  return client.send(
    new SendEmailCommand({
      FromEmailAddress: 'a@b.co',
      Destination: { ToAddresses: ['c@d.co'] },
      Content: { Simple: { Subject: content, Body: { Text: content } } },
    }),
  )
}

const own = localCredentials()
const { accessKeyId } = own.credentials
let dir: Awaited<ReturnType<typeof temporaryDir>>
const endpoints: Record<string, string> = {}
const engines = new AsyncDisposableStack()

beforeAll(async () => {
  dir = await temporaryDir()
  const database = await startDatabase({ dir: ':memory:', accessKeyId })
  const queues = await startQueueEngine({ dir: dir.path, accessKeyId })
  const mail = await startOutbox({ dir: dir.path, accessKeyId })
  const containers = await startContainers({
    dir: dir.path,
    cluster: 'own',
    families: {},
    accessKeyId,
    onTaskEvent: async () => {},
  })
  for (const [name, engine] of Object.entries({ database, queues, mail, containers })) {
    endpoints[name] = engine.endpoint
    engines.defer(() => engine.close())
  }
})
afterAll(async () => {
  await engines.disposeAsync()
  await dir[Symbol.asyncDispose]()
})

describe.each<[string, Call, string]>([
  ['database', callDatabase, 'UnrecognizedClientException'],
  ['queues', callQueues, 'InvalidClientTokenId'],
  ['mail', callMail, 'UnrecognizedClientException'],
  ['containers', callEcs, 'UnrecognizedClientException'],
  ['containers', callLogs, 'UnrecognizedClientException'],
])('the local engine of %s', (name, call, refusal) => {
  test('accepts every client with its access key', async () => {
    await expect(call(endpoints[name] ?? '', own)).resolves.not.toThrow()
  })

  test.each([
    ['an earlier start', localCredentials()],
    ['a guess', localCredentials('local')],
    ['a part of the key', localCredentials(accessKeyId.slice(0, -1))],
    ['more than the key', localCredentials(`${accessKeyId}0`)],
  ])('rejects %s', async (_, credentials) => {
    await expect(call(endpoints[name] ?? '', credentials)).rejects.toMatchObject({ name: refusal })
  })

  test.each([undefined, `Bearer ${accessKeyId}`, 'AWS4-HMAC-SHA256 Credential=', accessKeyId])(
    'rejects a request with %s for a signature',
    async (authorization) => {
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
        ...(authorization !== undefined && { authorization }),
      }
      const path = name === 'mail' ? '/v2/email/outbound-emails' : '/'
      const url = `${endpoints[name]}${path}`
      const answer = await fetch(url, { method: 'POST', headers, body: '{}' })
      expect(answer.status).toBeOneOf([400, 403])
      const said = answer.headers.get('x-amzn-errortype') ?? (await answer.text())
      expect(said).toContain('MissingAuthenticationToken')
    },
  )
})
