import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { DescribeTaskDefinitionCommand, ECSClient } from '@aws-sdk/client-ecs'
import {
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { planSizes } from '#shared/manifest/index.ts'
import { localCredentials } from './clients/credentials.ts'
import { LockedError } from './lock/lock.ts'
import { SettingsError } from './settings/settings.ts'
import type { Stack } from './stack.ts'
import { environmentOf, fixtureStacks } from './testing/fixture-stacks.ts'
import { until } from './testing/harness.ts'

const credentials = localCredentials('local')

let stacks: Awaited<ReturnType<typeof fixtureStacks>>

beforeAll(async () => {
  stacks = await fixtureStacks()
})
afterAll(() => stacks[Symbol.asyncDispose]())

describe('a running stack', () => {
  let stack: Stack

  beforeAll(async () => {
    const AGENT_IMAGE = 'registry.example/agent:9.9.9'
    stack = await stacks.start(
      {},
      { AGENT_IMAGE, KILL_SWITCH: 'true', ADMIN_EMAILS: 'a@example.com' },
    )
  })
  afterAll(() => stack.close())

  test('gives a function its grants', async () => {
    const secrets = JSON.parse(await readFile(stack.secretsFile, 'utf8')) as Record<string, string>
    expect(await environmentOf(stack.urls.web)).toMatchObject({
      PLATFORM_STAGE: 'local',
      FUNCTION_NAME: 'web-all',
      TABLE_NAME: stack.tableName,
      CLUSTER: stack.clusterName,
      DYNAMODB_ENDPOINT: stack.endpoints.dynamodb,
      SQS_ENDPOINT: stack.endpoints.sqs,
      ECS_ENDPOINT: stack.endpoints.ecs,
      SES_ENDPOINT: stack.endpoints.ses,
      QUEUE_URL_CHECKS: stack.queueUrls.checks,
      WEB_URL: stack.urls.web.replace('127.0.0.1', 'localhost'),
      KILL_SWITCH: 'true',
      INTERNAL_API_KEY: secrets['INTERNAL_API_KEY'],
      WALLET_ENCRYPTION_KEY: secrets['WALLET_ENCRYPTION_KEY'],
      STAND_IN_PROVIDER_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      PAYMENTS_API_URL: String(stack.checkoutUrl).replace('localhost', '127.0.0.1'),
      PAYMENTS_SECRET_KEY: secrets['PAYMENTS_SECRET_KEY'],
      PAYMENTS_WEBHOOK_SECRET: secrets['PAYMENTS_WEBHOOK_SECRET'],
    })
  })

  test('reports the type of its agents, not AGENT_IMAGE', async () => {
    const { AGENT_IMAGE } = await environmentOf(stack.urls.web)
    expect(AGENT_IMAGE).toBe('agent-platform/embedded:1.0.0')
  })

  test('gives a function no other variable', async () => {
    const names = Object.keys(await environmentOf(stack.urls.backend))
    expect(
      names.filter((name) => !/^(?:AWS_|LANG$|TZ$|LAMBDA_TASK_ROOT$)/.test(name)).sort(),
    ).toEqual(['FUNCTION_NAME', 'PLATFORM_STAGE'])
  })

  test('has the table with its index and time to live', async () => {
    const client = new DynamoDBClient({ endpoint: stack.endpoints.dynamodb, ...credentials })
    const { Table } = await client.send(new DescribeTableCommand({ TableName: stack.tableName }))
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      GlobalSecondaryIndexes: [{ IndexName: 'gsi1' }],
    })
    const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: stack.tableName }))
    expect(ttl.TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt' })
    client.destroy()
  })

  test('has a task definition family for every plan', async () => {
    const ecs = new ECSClient({ endpoint: stack.endpoints.ecs, ...credentials })
    for (const { plan, cpu, memoryMb } of planSizes) {
      const { taskDefinition } = await ecs.send(
        new DescribeTaskDefinitionCommand({ taskDefinition: `agent-${plan}` }),
      )
      expect(taskDefinition).toMatchObject({ cpu: String(cpu), memory: String(memoryMb) })
    }
    ecs.destroy()
  })

  test('runs queue and schedule functions, and logs what they write', async () => {
    const sqs = new SQSClient({ endpoint: stack.endpoints.sqs, ...credentials })
    const message = { QueueUrl: stack.queueUrls.checks, MessageBody: 'ok logged' }
    await sqs.send(new SendMessageCommand(message))
    await until('the message', () => stacks.shown.some((line) => line.includes('ok logged')))
    await until('the first run', () =>
      stacks.shown.some((line) => line.startsWith('ticker  {"began"')),
    )
    const logged = () => readFile(stack.logFile, 'utf8')
    await until('the log file', async () => (await logged()).includes('ok logged'))
    expect(stacks.shown.filter((line) => line.includes('ok logged'))).toHaveLength(1)
    sqs.destroy()
  })

  test('shares its data directory with no other stack', async () => {
    await expect(stacks.start()).rejects.toBeInstanceOf(LockedError)
    expect((await fetch(`${stack.urls.web}/calls`)).status).toBe(200)
  })
})

test('a stack restores an earlier one’s state, and --reset deletes all but downloads', async () => {
  const DATA_DIR = join(stacks.dir, 'again')
  const first = await stacks.start({}, { DATA_DIR })
  const table = (stack: Stack) =>
    new DynamoDBClient({ endpoint: stack.endpoints.dynamodb, ...credentials })
  const Key = { pk: { S: 'a' }, sk: { S: 'b' } }
  await table(first).send(new PutItemCommand({ TableName: first.tableName, Item: Key }))
  const sqs = new SQSClient({ endpoint: first.endpoints.sqs, ...credentials })
  const notice = { QueueUrl: first.queueUrls.notices, MessageBody: 'kept' }
  await sqs.send(new SendMessageCommand(notice))
  const { INTERNAL_API_KEY } = await environmentOf(first.urls.web)
  const closing = Date.now()
  await first.close()
  expect(Date.now() - closing).toBeLessThan(10_000)
  await expect(fetch(first.urls.web)).rejects.toThrow('fetch failed')

  const second = await stacks.start({}, { DATA_DIR })
  const get = (stack: Stack) =>
    table(stack).send(new GetItemCommand({ TableName: stack.tableName, Key }))
  expect((await get(second)).Item).toEqual(Key)
  const again = new SQSClient({ endpoint: second.endpoints.sqs, ...credentials })
  const received = await again.send(
    new ReceiveMessageCommand({ QueueUrl: second.queueUrls.notices }),
  )
  expect(received.Messages?.[0]?.Body).toBe('kept')
  expect((await environmentOf(second.urls.web))['INTERNAL_API_KEY']).toBe(INTERNAL_API_KEY)
  await second.close()

  const fetched = join(DATA_DIR, 'runtimes/some-1.0.0')
  await mkdir(fetched, { recursive: true })
  const third = await stacks.start({ reset: true }, { DATA_DIR })
  expect(await readdir(fetched)).toEqual([])
  expect((await get(third)).Item).toBeUndefined()
  expect((await environmentOf(third.urls.web))['INTERNAL_API_KEY']).not.toBe(INTERNAL_API_KEY)
  await third.close()
})

test('closing does not wait for a long request', async () => {
  const stack = await stacks.start({}, { DATA_DIR: join(stacks.dir, 'slow') })
  await environmentOf(stack.urls.web)
  const slow = fetch(`${stack.urls.web}/slow?ms=50000`).catch(() => 'cut')
  await until('it to be under way', () => stacks.shown.some((line) => line.includes('"ms=50000"')))
  const closing = Date.now()
  await stack.close()
  expect(Date.now() - closing).toBeLessThan(25_000)
  expect(await slow).toBe('cut')
})

describe('a stack that cannot start', () => {
  let blocker: Server

  beforeAll(async () => {
    blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
  })
  afterAll(() => void blocker.close())

  test.each(['BACKEND_PORT', 'AGENTS_PORT', 'QUEUE_PORT', 'PAYMENTS_PORT'])(
    'names %s in use and leaves nothing behind',
    async (name) => {
      const DATA_DIR = join(stacks.dir, 'blocked')
      const port = String((blocker.address() as AddressInfo).port)
      const blocked = stacks.start({}, { DATA_DIR, [name]: port })
      await expect(blocked).rejects.toBeInstanceOf(SettingsError)
      await expect(blocked).rejects.toThrow(`${name}: port ${port} is in use`)
      // A resource that was not released would prevent a second start on the same directory.
      const stack = await stacks.start({}, { DATA_DIR })
      await stack.close()
    },
  )

  test('changes nothing if a setting is invalid', async () => {
    const DATA_DIR = join(stacks.dir, 'untouched')
    await expect(stacks.start({}, { DATA_DIR, WEB_PORT: 'x' })).rejects.toThrow(/^WEB_PORT: /)
    expect(await readdir(stacks.dir)).not.toContain('untouched')
  })
})

test('gives functions an access key that is new at each start, and rejects any other', async () => {
  const environment = { DATA_DIR: join(stacks.dir, 'keys'), LOCAL_ACCESS_KEY_ID: '' }
  const keys: string[] = []
  for (const _ of [1, 2]) {
    const stack = await stacks.start({}, environment)
    keys.push((await environmentOf(stack.urls.web))['AWS_ACCESS_KEY_ID'] ?? '')
    const say = (key?: string) => {
      const client = new ECSClient({ endpoint: stack.endpoints.ecs, ...localCredentials(key) })
      return client.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'agent-solo' }))
    }
    await say(keys.at(-1))
    for (const key of ['local', keys.at(-2)])
      if (key !== undefined)
        await expect(say(key)).rejects.toMatchObject({ name: 'UnrecognizedClientException' })
    await stack.close()
  }
  expect(keys[0]).toMatch(/^LOCL[0-9A-F]{40}$/)
  expect(keys[1]).not.toBe(keys[0])
})

test('serves queues on QUEUE_PORT to SDK clients with the stored access key', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const QUEUE_PORT = String((free.address() as AddressInfo).port)
  free.close()
  await once(free, 'close')
  const environment = { DATA_DIR: join(stacks.dir, 'port'), LOCAL_ACCESS_KEY_ID: '', QUEUE_PORT }
  const stack = await stacks.start({}, environment)
  onTestFinished(() => stack.close())
  const secrets = JSON.parse(await readFile(stack.secretsFile, 'utf8')) as Record<string, string>
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${QUEUE_PORT}`)
  const list = (key?: string) =>
    new SQSClient(localCredentials(key)).send(new ListQueuesCommand({}))
  const { QueueUrls } = await list(secrets['LOCAL_ACCESS_KEY_ID'])
  expect(QueueUrls).toContain(stack.queueUrls.checks)
  await expect(list()).rejects.toMatchObject({ name: 'InvalidClientTokenId' })
})
