import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Message, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import * as z from 'zod'
import { type FunctionSpec, functions, type QueueName } from '#shared/manifest/index.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { agentPaymentRows } from '#shared/network/agent-payments/rows.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import type { CallMessage } from '#shared/platform/procedures/messages.ts'
import { enveloped } from '#shared/platform/queues/envelope.ts'
import type { Topic } from '#shared/platform/queues/topic.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { sampleOf } from '#stacks/build/reference/sample.ts'
import { tableName } from '#stacks/local/engines.ts'
import { toQueueEvent } from '#stacks/local/queues/event.ts'
import { lineageOf, traceHeader } from '#stacks/local/queues/lineage.ts'
import type { ScheduledEvent } from '#stacks/local/schedules/scheduler.ts'
import { insertUser } from '../support/accounts/new-user.ts'
import { putAgent } from '../support/agents/agent-rows.ts'
import { delta } from '../support/ai/upstream.ts'
import { clientOf, type TestUser } from '../support/http/client.ts'
import { allRoutes, type SurfaceRoute } from '../support/http/routes.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { hasRuntimeClient, runtimeHost } from './host.ts'
import { type RuntimePlatform, startPlatform } from './platform.ts'

if (!hasRuntimeClient)
  process.stdout.write(
    'SKIPPED: no bundle runs under AWS’s runtime client, because it is not built: bash tests/runtime/fetch.sh\n',
  )

const routes = await allRoutes()
const [model = ''] = modelSetsOf({}).demo

type Kind = FunctionSpec['trigger']['kind']

/** Returns the functions with a trigger of this kind. */
function triggeredBy<K extends Kind>(kind: K) {
  const is = (trigger: FunctionSpec['trigger']): trigger is Extract<typeof trigger, { kind: K }> =>
    trigger.kind === kind
  return functions.flatMap(({ name, entry, trigger }) =>
    is(trigger) ? [{ name, entry, trigger }] : [],
  )
}

function textOf({ body }: Response) {
  if (body === null) throw new Error('the response has no body')
  return body.pipeThrough(new TextDecoderStream())
}

let platform: RuntimePlatform
let user: TestUser
let key: string

const table = () => dynamoTable({ tableName, endpoint: platform.engines.endpoints.dynamodb })
const { keyOf, newSubscriber } = clientOf(() => ({ ...platform.urls, ...platform }), {
  insertUser: (given) => insertUser(table(), given),
})

describe.skipIf(!hasRuntimeClient)('under AWS’s runtime client', () => {
  beforeAll(async () => {
    useLocalCredentials()
    platform = await startPlatform()
    user = await newSubscriber('network')
    key = await keyOf(user)
  })
  afterAll(() => platform?.close())

  /** Ends a function after the test: processes of all functions would use gigabytes. */
  function endAfter({ onTestFinished }: TestContext, name: string): void {
    onTestFinished(() => platform.host.end(name))
  }

  /** Returns credentials that pass the guard; agents and the router have their own, which these routes refuse. */
  function headersOf({ route: { guard } }: SurfaceRoute): Record<string, string> {
    if (guard === 'none' || guard === 'signature') return {}
    if (/session$|credential$/.test(guard)) return user.session
    return { authorization: `Bearer ${guard.includes('user') ? key : platform.internalKey}` }
  }

  /** Returns a route of a function: a list, or else one item, or else any other. */
  function routeOf(name: string): SurfaceRoute {
    const own = routes.filter((one) => one.of.name === name)
    const reads = own.filter(({ route }) => route.method === 'GET')
    const [first] = [...reads.filter(({ route }) => !route.path.includes(':')), ...reads, ...own]
    if (first === undefined) throw new Error(`${name} has no route`)
    return first
  }

  test.concurrent.for(triggeredBy('http'))(
    '$name answers a request',
    async ({ name, trigger }, context) => {
      const one = routeOf(name)
      const { method, path } = one.route
      const id = `agt_${'0'.repeat(26)}`
      const post = method === 'POST'
      const answer = await fetch(
        platform.urls[trigger.surface] + path.replace(/:\w+(?:\{[^}]*\})?/g, id),
        {
          method,
          redirect: 'manual',
          headers: { ...headersOf(one), ...(post && { 'content-type': 'application/json' }) },
          ...(post && { body: '{}' }),
        },
      )
      endAfter(context, name)
      const text = await answer.text()
      expect(platform.failures.get(name)).toBeUndefined()
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
      // A feature that this platform has no settings for.
      if (answer.status === 503) expect(JSON.parse(text)).toHaveProperty('missing')
      else expect(answer.status).toBeLessThan(500)
      if (/session$|^internal|user/.test(one.route.guard)) expect(answer.status).not.toBe(401)
      expect(platform.host.streamed(name)).toBe(trigger.streaming === true)
      expect(answer.status === 503 ? [] : errorsOf(name)).toEqual([])
    },
  )

  test('backend-ai streams an answer while its model still writes', async (context) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    platform.models.serve(model, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(delta({ content: 'begins' }))}\n\n`)
      await released
      const end = delta({ content: ' and ends' }, 'stop')
      response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`)
    })
    const answer = await fetch(`${platform.urls.backend}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], model, stream: true }),
    })
    endAfter(context, 'backend-ai')
    let text = ''
    for await (const chunk of textOf(answer)) {
      text += chunk
      if (text.includes('begins')) release()
    }
    expect(text).toMatch(/begins[^]*and ends[^]*\[DONE\]/)
  })

  test('web-logs streams events of a connection that stays open', async (context) => {
    const agent = await putAgent(table(), user.id)
    const answer = await fetch(`${platform.urls.web}/api/logs/${agent.id}/stream`, {
      headers: user.session,
    })
    endAfter(context, 'web-logs')
    const { value } = await textOf(answer)[Symbol.asyncIterator]().next()
    expect(value).toBe('retry: 1000\n\n')
  })

  /** Receives a message of a queue as an event of its consumer. */
  async function eventOf(queue: QueueName): Promise<{ event: unknown; messages: Message[] }> {
    const { sqs, queueUrls } = platform.engines
    const { Messages: messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrls[queue],
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    )
    const event = toQueueEvent(messages, `arn:aws:sqs:us-east-1:000000000000:${queue}`)
    return { event, messages }
  }

  async function send(queue: QueueName, message: unknown): Promise<void> {
    const { sqs, queueUrls } = platform.engines
    await sqs.send(
      new SendMessageCommand({ QueueUrl: queueUrls[queue], MessageBody: JSON.stringify(message) }),
    )
  }

  const origin = { requestId: 'req_1', askedBy: 'platform' }
  const handled = { streamed: false, result: { batchItemFailures: [] } }

  /** Messages whose values a schema does not describe. The chain of mails below has a sealed one. */
  const messages: Partial<Record<QueueName, unknown>> = {
    'agent-payments': enveloped(origin, {
      agentId: 'agt_1',
      paymentId: newId(agentPaymentRows.id, newSeed(Date.now())),
      attempt: 1,
    }),
    splits: enveloped(origin, { wallet: `0x${'0'.repeat(40)}` }),
    'task-events': {
      id: randomUUID(),
      'detail-type': 'ECS Task State Change',
      detail: {
        taskArn: 'arn:aws:ecs:us-east-1:000000000000:task/platform/1',
        lastStatus: 'RUNNING',
        version: 1,
      },
    },
  }

  test.concurrent.for(triggeredBy('queue').filter(({ name }) => name !== 'mails'))(
    '$name handles a message',
    async ({ name, entry, trigger }, context) => {
      const { job } = (await import(join('../..', entry))) as { job: { topic: Topic<unknown> } }
      const schema = z.toJSONSchema(job.topic.schema(), { io: 'input', unrepresentable: 'any' })
      const queue = trigger.queue as QueueName
      await send(queue, messages[queue] ?? enveloped(origin, sampleOf(schema as object, {})))
      const { event } = await eventOf(queue)
      endAfter(context, name)
      const outcome = await platform.host.invoke(name, event)
      expect(errorsOf(name)).toEqual([])
      expect(outcome).toEqual(handled)
    },
  )

  test('a chain of messages carries Lambda’s count of invocations, and its mail is sent', async () => {
    await send('password-resets', enveloped(origin, { email: user.email }))
    const trace = traceHeader({ 'password-resets': 3 })
    const first = await eventOf('password-resets')
    expect(await platform.host.invoke('password-resets', first.event, { trace })).toEqual(handled)
    const next = await eventOf('mails')
    expect(lineageOf(next.messages, 'mails')).toEqual({ 'password-resets': 3, mails: 1 })
    expect(await platform.host.invoke('mails', next.event)).toEqual(handled)
    const files = await readdir(platform.outbox)
    const mails = await Promise.all(files.map((file) => readFile(join(platform.outbox, file))))
    expect(mails.map(String).join('\n')).toContain(user.email)
  })

  test.concurrent.for(triggeredBy('schedule'))('$name runs a tick', async ({ name }, context) => {
    const time = `${new Date().toISOString().slice(0, 19)}Z`
    const event: ScheduledEvent = { id: randomUUID(), time, schedule: name }
    endAfter(context, name)
    expect(await platform.host.invoke(name, event)).toEqual({ streamed: false, result: null })
    expect(errorsOf(name)).toEqual([])
  })

  test('signer answers a call of another function, and seals with KMS', async () => {
    const { id: agentId } = await putAgent(table(), user.id)
    const call: CallMessage = { procedure: 'createWallet', input: { agentId }, ...origin }
    expect(await platform.host.invoke('signer', call)).toEqual({
      streamed: false,
      result: { answer: { address: expect.stringMatching(/^0x/), created: true } },
    })
    expect(platform.kms.asked).toHaveLength(1)
    await expect(platform.host.invoke('signer', {})).rejects.toMatchObject({
      kind: 'failed',
      errorType: 'ZodError',
    })
  })

  test('every function has an event here', () => {
    const kinds: Kind[] = ['http', 'queue', 'schedule', 'invoke']
    expect(kinds.flatMap(triggeredBy)).toHaveLength(functions.length)
    expect(triggeredBy('invoke').map(({ name }) => name)).toEqual(['signer'])
  })

  /** Returns the error lines of a function. */
  function errorsOf(name: string): string[] {
    return platform.host.outputOf(name).filter((line) => !/^\{"level":"(info|warn)"/.test(line))
  }
})

describe.skipIf(!hasRuntimeClient)('a function with an invalid setting', () => {
  test('reports the setting as the error of its initialization', async () => {
    await using stack = new AsyncDisposableStack()
    const host = runtimeHost({
      functions,
      bundles: join(import.meta.dirname, '../../dist/functions'),
      environmentOf: async ({ name }) => ({
        AWS_LAMBDA_FUNCTION_NAME: name,
        AI_PROVIDERS: '{',
      }),
    })
    stack.defer(() => host.close())
    await expect(host.invoke('backend-ai', {})).rejects.toThrow('AI_PROVIDERS: ')
  })
})
