import * as z from 'zod'
import { agentFailure } from '#shared/agents/agent-gateway/failure.ts'
import {
  maxBufferedBytes,
  parseAnswer,
  readWhole,
  tooLong,
} from '#shared/agents/agent-gateway/read-whole.ts'
import type { AgentResponse } from '#shared/agents/agent-gateway/request.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { isHeartbeat, serverSentEvents } from '#shared/platform/http-client/events.ts'
import { once } from '#shared/platform/once.ts'
import type { TokenUsage } from './schema.ts'

/** A part of an answer, or the metadata of the whole answer. */
export interface AnswerPart {
  content: string
  model?: string | undefined
  usage?: TokenUsage | undefined
}

/** The longest model id, as in requests. */
const longestModel = 200

/**
 * The maximum number of consecutive events without content. No turn has so many tool calls, and each event delays other
 * turns.
 */
const maxSilent = 100_000

/** Created on first use, to keep cold starts short. */
const completion = once(() => {
  // A number of tokens: the bound is larger than any real value, and the table can store it.
  const count = z.number().int().min(0).max(1_000_000_000)
  // Some models answer in parts. Thinking parts are not part of the answer.
  const part = z.object({ type: z.string().default('text'), text: z.string().nullish() })
  const content = z.union([
    z.string(),
    z.array(z.union([z.string(), part])).transform((parts) => parts.map(textOf).join('')),
  ])
  const text = z.object({ content: content.nullish() })
  return z.object({
    choices: z
      .array(z.object({ delta: text.nullish(), message: text.nullish() }))
      .nullish()
      .transform((choices) => choices ?? []),
    // The agent's metadata is stored with the answer, so its size is limited.
    model: z.string().max(longestModel).optional().catch(undefined),
    usage: z
      .object({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
      .optional()
      .catch(undefined),
  })
})

function textOf(part: string | { type: string; text?: string | null | undefined }): string {
  if (typeof part === 'string') return part
  return part.type === 'text' || part.type === 'output_text' ? (part.text ?? '') : ''
}

/**
 * Reads an agent's answer in parts, streamed or whole.
 * @throws PlatformError for an error response, or for a stream that ends early
 */
export async function* readAnswer(response: AgentResponse): AsyncGenerator<AnswerPart> {
  const { status, headers, body } = response
  if (status !== 200) throw agentFailure(status, await readWhole(body), headers['retry-after'])
  if (headers['content-type']?.toLowerCase().startsWith('text/event-stream'))
    yield* readStream(body)
  else yield readCompletion(await readWhole(body))
}

async function* readStream(body: AgentResponse['body']): AsyncGenerator<AnswerPart> {
  /** The length of the content in memory. */
  let buffered = 0
  let silent = 0
  const events = serverSentEvents(body, { maxEventBytes: maxBufferedBytes, tooLong })
  for await (const { event, data } of events) {
    if (event === 'error') throw agentFailure(502, data)
    if (data === '[DONE]') return
    if (isHeartbeat(data)) continue
    const part = readCompletion(data)
    buffered += part.content.length
    silent = part.content === '' ? silent + 1 : 0
    if (buffered > maxBufferedBytes || silent > maxSilent) throw tooLong()
    yield part
  }
  throw new PlatformError('bad-gateway', 'The agent’s answer was interrupted', {
    code: 'AGENT_UNREACHABLE',
  })
}

function readCompletion(data: string): AnswerPart {
  try {
    const { choices, model, usage } = completion().parse(parseAnswer(data))
    const [choice] = choices
    return { content: (choice?.delta ?? choice?.message)?.content ?? '', model, usage }
  } catch (cause) {
    throw new PlatformError('bad-gateway', 'The agent’s answer cannot be read', {
      code: 'AGENT_FAILED',
      cause,
    })
  }
}
