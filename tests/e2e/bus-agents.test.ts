import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { askFor } from '../../agent/gateway/testing/played-bus.ts'
import { type Call, say, Upstream } from '../../agent/gateway/testing/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

let stack: OwnStack
let model: Upstream

/** Returns the tool call that an agent of either side makes in response to the last message. */
function played({ body: { messages } }: Call, ids: { ada: string; bob: string }) {
  const last = messages.at(-1)
  const { messages: read = [] } =
    last?.role === 'tool' ? (JSON.parse(last.content) as { messages?: Read[] }) : {}
  const question = read.find(({ action }) => action === 'QUESTION')
  const answer = read.find(({ action }) => action === 'ANSWER')
  if (question !== undefined) return sends(question.from, 'ANSWER', { sum: 5 }, question.messageId)
  if (answer !== undefined) return `It says ${JSON.stringify(answer.payload)}`
  if (last?.content === 'Ask Bob.') return sends(ids.bob, 'QUESTION', { add: [2, 3] })
  if (last?.role === 'user') return { name: 'read_inbox', given: {} }
  return 'Done.'
}

interface Read {
  messageId: string
  from: string
  action: string
  payload: unknown
}

const sends = (to: string, action: string, payload: object, replyTo?: string) => ({
  name: 'send_message',
  given: { to, action, payload, ...(replyTo !== undefined && { replyTo }) },
})

const ids = { ada: '', bob: '' }

beforeAll(async () => {
  model = await Upstream.start()
  model.reply = (response, asked) => {
    const does = played(asked, ids)
    if (typeof does === 'string') say(response, does)
    else askFor(response, { ...does, id: randomUUID() })
  }
  stack = await startOwnStack({ AI_BASE_URL: model.baseUrl, AI_API_KEY: 'key-of-the-model' })
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

/** Creates an agent that does not run yet, with a config for its next start. */
async function stoppedAgent(user: TestUser, config: Record<string, unknown>): Promise<string> {
  const id = await stack.runningAgent(user)
  const url = `${stack.now().web}/api/agents/${id}/config?apply=false`
  const { status } = await call(url, { method: 'PUT', headers: user.session, body: { config } })
  expect(status).toBe(200)
  await stack.lifecycle(user, id, 'stop')
  await stack.untilStatus(user, id, 'stopped')
  return id
}

/** Writes the row as the watchdog does when it stops an idle agent. */
async function letSleep(user: TestUser, agentId: string): Promise<void> {
  useLocalCredentials()
  const table = dynamoTable({ tableName: 'platform', endpoint: stack.now().endpoints.dynamodb })
  const agent = await requireAgent({ table }, { agentId, owner: user.id })
  await changeAgent({ table }, { agent, decide: (row) => ({ ...row, asleep: true }) })
}

const inboxOf = async (agentId: string) => {
  const url = `${stack.now().backend}/api/underground/bus/inbox?agentId=${agentId}`
  const { body } = await call(url, { headers: stack.asInternal() })
  return (body.messages as { message: Read & { metadata?: { replyTo: string } } }[]).map(
    ({ message }) => message,
  )
}

it('an agent sends a message to another one, which wakes, reads and answers', async () => {
  const [ann, ben] = [await stack.newSubscriber(), await stack.newSubscriber()]
  ids.ada = await stoppedAgent(ann, { bus: true })
  ids.bob = await stoppedAgent(ben, { bus: true, wakeOnMessage: true })
  await letSleep(ben, ids.bob)
  await stack.lifecycle(ann, ids.ada, 'start')
  await stack.untilStatus(ann, ids.ada, 'running')

  const request = await stack.chat(ann, { message: 'Ask Bob.', agentId: ids.ada })
  expect([request.status, request.body.reply]).toEqual([200, 'Done.'])
  const [question] = await eventually(async () => {
    const inbox = await inboxOf(ids.bob)
    expect(inbox).toMatchObject([{ action: 'QUESTION', payload: { add: [2, 3] } }])
    return inbox
  })
  await eventually(async () =>
    expect(await inboxOf(ids.ada)).toMatchObject([
      {
        action: 'ANSWER',
        from: { agentId: ids.bob },
        metadata: { replyTo: question?.messageId },
      },
    ]),
  )
  const heard = await stack.chat(ann, { message: 'What does Bob say?', agentId: ids.ada })
  expect(heard.body.reply).toBe('It says {"sum":5}')
})
