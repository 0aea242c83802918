import { expect } from 'vitest'
import { askFor } from '../../../agent/gateway/testing/played-bus.ts'
import { say, Upstream } from '../../../agent/gateway/testing/upstream.ts'
import type { TestUser } from '../http/client.ts'
import type { OwnStack } from './stack-process.ts'

interface Called {
  stack: OwnStack
  owner: TestUser
  agentId: string
  model: Upstream
}

/** Starts a model that makes the tool call that the prompt contains in JSON, and then answers. */
export async function startToolModel(): Promise<Upstream> {
  const model = await Upstream.start()
  model.reply = (response, { body: { messages } }) => {
    const said = messages.findLastIndex(({ role }) => role === 'user')
    const asked = messages[said]?.content
    const isCalled = messages.slice(said).some(({ role }) => role === 'tool')
    if (asked === undefined || isCalled) return say(response, 'Done.')
    askFor(response, JSON.parse(asked) as { name: string; given: unknown })
  }
  return model
}

/** Lets an agent’s model call one tool in a turn. @returns its result */
export async function callTool(
  { stack, owner, agentId, model }: Called,
  name: string,
  given: object,
): Promise<unknown> {
  const message = JSON.stringify({ name, given })
  const { status, body } = await stack.chat(owner, { message, agentId })
  expect([status, body]).toMatchObject([200, { reply: 'Done.' }])
  const result = model.lastCall.body.messages.findLast(({ role }) => role === 'tool')
  return JSON.parse(result?.content ?? '')
}
