import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import {
  type CompletionCall,
  delta,
  says,
  startUpstream,
  type Upstream,
} from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { readEvents } from '../support/http/event-stream.ts'
import { processesOf } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const [model = ''] = modelSetsOf({}).tasks.fast

let upstream: Upstream
let stack: OwnStack
let user: TestUser
let agentId: string

beforeAll(async () => {
  upstream = await startUpstream()
  stack = await startOwnStack({
    AI_BASE_URL: upstream.baseUrl,
    AI_API_KEY: 'a-key-of-the-provider',
    WATCHDOG_REPAIR_STOP_WAIT: '1',
    WATCHDOG_REPAIR_START_WAIT: '10',
  })
  user = await stack.newSubscriber()
  agentId = await stack.runningAgent(user)
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await upstream.close()
})

/** A model that streams one word each time the test tells it to. */
function slowModel() {
  let call: CompletionCall | undefined
  const chunk = (fields: object, finish?: string) =>
    `data: ${JSON.stringify(delta(fields, finish))}\n\n`
  const ready = Promise.withResolvers<{ say(word: string): void; end(): void }>()
  upstream.serve(model, (response, request) => {
    call = request
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    ready.resolve({
      say: (content) => void response.write(chunk({ content })),
      end: () => void response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`),
    })
  })
  return { ready: ready.promise, abandoned: () => call?.abandoned }
}

function talk(message: string): Promise<Response> {
  return fetch(`${stack.now().web}/api/chat`, {
    method: 'POST',
    headers: { ...user.session, 'content-type': 'application/json' },
    body: JSON.stringify({ message, stream: true, agentId }),
  })
}

async function next(events: ReturnType<typeof readEvents>) {
  const { value } = await events.next()
  if (value === undefined) return undefined
  const { event, data } = value as { event: string; data: Record<string, unknown> }
  return { event, data }
}

describe('a streamed chat', () => {
  it('sends each piece before the model produces the next', async () => {
    const slow = slowModel()
    const answering = talk('Slowly, please.')
    const speaker = await slow.ready
    speaker.say('One ')
    const events = readEvents(await answering)
    expect(await next(events)).toEqual({ event: 'delta', data: { content: 'One ' } })
    speaker.say('two.')
    expect(await next(events)).toEqual({ event: 'delta', data: { content: 'two.' } })
    speaker.end()
    expect(await next(events)).toMatchObject({ event: 'done', data: { reply: 'One two.' } })
    expect(await next(events)).toBeUndefined()
  })

  it('a streamed chat whose agent is killed ends with an error, and stores its text', async () => {
    const slow = slowModel()
    const answering = talk('Tell me a story.')
    const speaker = await slow.ready
    speaker.say('Once upon ')
    const events = readEvents(await answering)
    expect(await next(events)).toEqual({ event: 'delta', data: { content: 'Once upon ' } })

    const [container] = processesOf(stack.dataDir, agentId)
    process.kill(container?.pid ?? 0, 'SIGKILL')
    expect(await next(events)).toEqual({
      event: 'error',
      data: { error: 'The agent’s answer was interrupted', code: 'AGENT_UNREACHABLE' },
    })
    expect(await next(events)).toBeUndefined()
    // The reader has left, so the platform stops paying for the model.
    await slow.abandoned()
    expect((await stack.historyOf(user, agentId)).slice(-2)).toMatchObject([
      { sender: 'user', content: 'Tell me a story.' },
      { sender: 'agent', content: 'Once upon ' },
    ])
  })

  it('continues with the restarted agent', async () => {
    await eventually(async () => {
      const agent = await stack.agentOf(user, agentId)
      expect(agent).toMatchObject({ status: 'running', watchdog: { state: 'running' } })
      expect(agent.watchdog).toMatchObject({
        incidents: [{ step: 'restart', attempt: 1, resolvedAt: expect.any(String) }],
      })
      // A repair waits eleven seconds, plus the time of a busy machine.
    }, 60_000)
    upstream.serve(model, says('Where was I?'))
    const { status, body } = await stack.chat(user, { message: 'Go on.', agentId })
    expect([status, body.reply]).toEqual([200, 'Where was I?'])
  })
})
