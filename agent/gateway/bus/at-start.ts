import { randomUUID } from 'node:crypto'
import { wholeAnswer } from '../chat/answer.ts'
import { type Agent, askModel } from '../chat/complete.ts'
import { problemOf } from '../chat/responses.ts'
import { readWhole } from '../chat/upstream.ts'
import type { Log } from '../log.ts'
import type { Work } from '../work.ts'

/** The session for the agent's own replies to other agents. */
const session = 'bus'

const prompt =
  'You have just started, and other agents have written to you in the meantime. Read your inbox and reply to the messages that need a reply.'

/**
 * Lets the agent read, in one turn, the messages that arrived before its start. Otherwise a message that woke it would
 * wait until a person writes. Without messages, no model is called.
 */
export async function answerInbox(agent: Agent, work: Work, log: Log): Promise<void> {
  const { bus } = agent
  if (bus === undefined) return
  const { controller, done } = work.begin()
  const { signal } = controller
  try {
    const waiting = await bus.client.inbox(await bus.mark.read(), 1, signal)
    if (waiting.length === 0) return
    const { model } = agent.settings.ai
    const passed = model === undefined ? {} : { model }
    const messages = [{ role: 'user' as const, content: prompt }]
    const request = { messages, sessionId: session, passed }
    const { upstream, keep, form } = await askModel(agent, request, {
      requestId: randomUUID(),
      signal,
    })
    const text = String(await readWhole(upstream))
    if (form === 'error') throw problemOf(text, upstream.status)
    await keep(wholeAnswer(text), true)
    log.info('The inbox was read')
  } catch (error) {
    log.info(`The inbox was not read: ${error instanceof Error ? error.message : 'unknown'}`)
  } finally {
    done()
  }
}
