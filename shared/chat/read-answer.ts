import { createParser, type EventSourceMessage } from 'eventsource-parser'
import * as z from 'zod'
import { agentFailure } from '../agents/reach/failure.ts'
import type { AgentResponse } from '../agents/reach/request.ts'
import { readWhole } from '../agents/reach/whole.ts'
import { PlatformError } from '../platform/errors.ts'
import { type TokenUsage, tokenUsage } from './schema.ts'

/** A piece of an answer, or what is known of the whole. */
export interface AnswerPart {
  content: string
  model?: string | undefined
  usage?: TokenUsage | undefined
}

const text = z.object({ content: z.string().nullish() })
const completion = z.object({
  choices: z.array(z.object({ delta: text.optional(), message: text.optional() })).default([]),
  model: z.string().optional().catch(undefined),
  usage: tokenUsage.optional().catch(undefined),
})

/**
 * Reads an agent's answer piece by piece, whether it comes as a stream or whole.
 * @throws PlatformError for an error answer, or for a stream that ends before it is finished
 */
export async function* readAnswer(response: AgentResponse): AsyncGenerator<AnswerPart> {
  const { status, headers, body } = response
  if (status !== 200) throw agentFailure(status, await readWhole(body), headers['retry-after'])
  if (headers['content-type']?.startsWith('text/event-stream')) yield* readStream(body)
  else yield readCompletion(await readWhole(body))
}

async function* readStream(body: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  const arrived: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => arrived.push(event) })
  for await (const chunk of body) {
    parser.feed(chunk)
    for (const { event, data } of arrived.splice(0)) {
      if (event === 'error') throw agentFailure(502, data)
      if (data === '[DONE]') return
      yield readCompletion(data)
    }
  }
  throw new PlatformError('bad-gateway', 'The agent’s answer broke off', {
    code: 'AGENT_UNREACHABLE',
  })
}

function readCompletion(data: string): AnswerPart {
  try {
    const { choices, model, usage } = completion.parse(JSON.parse(data))
    const [choice] = choices
    return { content: (choice?.delta ?? choice?.message)?.content ?? '', model, usage }
  } catch (cause) {
    throw new PlatformError('bad-gateway', 'The agent’s answer cannot be read', {
      code: 'AGENT_FAILED',
      cause,
    })
  }
}
