import { readFinish } from '../../answers/finish.ts'
import { type Chunk, type Completion, isObject } from '../../answers/form.ts'
import type { EventReader } from '../events.ts'

/**
 * Returns an answer of Anthropic in the common form for metering. Undefined if the body is not a message.
 */
export function readMessage(body: unknown): Completion | undefined {
  if (!isObject(body) || !Array.isArray(body.content)) return undefined
  const blocks = body.content.filter(isObject)
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(callOf)
  const thinking = joined(blocks, 'thinking')
  return {
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: joined(blocks, 'text'),
          ...(thinking !== '' && { reasoning_content: thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason:
          readFinish({ finish_reason: body.stop_reason }, { any: calls.length > 0, cut: false }) ??
          'stop',
      },
    ],
    usage: body.usage,
  }
}

function joined(blocks: readonly Record<string, unknown>[], field: 'text' | 'thinking'): string {
  return blocks
    .filter(({ type }) => type === field)
    .map((block) => (typeof block[field] === 'string' ? block[field] : ''))
    .join('')
}

function callOf({ id, name, input }: Record<string, unknown>) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
}

/** Reads the events of one streamed message. The answer is complete after the event with the stop reason. */
export function createMessageReader(): EventReader {
  let finished = false
  let over = false
  /** The number of each tool call, by the index of its block. Blocks of parallel calls can be mixed. */
  const calls = new Map<unknown, number>()

  function delta(delta: Record<string, unknown>, finish_reason: string | null = null): Chunk {
    return { choices: [{ index: 0, delta, finish_reason }] }
  }

  return {
    read(data) {
      switch (data.type) {
        case 'message_start': {
          const { usage, model } = Object(data.message) as Record<string, unknown>
          return { choices: [], ...(isObject(usage) && { usage }), model }
        }
        case 'content_block_start': {
          const { type, id, name, text, thinking } = Object(data.content_block) as Record<
            string,
            unknown
          >
          if (type !== 'tool_use') return delta(texts(text, thinking))
          const index = calls.size
          calls.set(data.index, index)
          const called = { name, arguments: '' }
          return delta({ tool_calls: [{ index, id, type: 'function', function: called }] })
        }
        case 'content_block_delta': {
          const { text, thinking, partial_json } = Object(data.delta) as Record<string, unknown>
          if (typeof partial_json !== 'string') return delta(texts(text, thinking))
          const index = calls.get(data.index) ?? 0
          return delta({ tool_calls: [{ index, function: { arguments: partial_json } }] })
        }
        case 'message_delta': {
          const { stop_reason } = Object(data.delta) as Record<string, unknown>
          const ends = { any: calls.size > 0, cut: false }
          const finish = readFinish({ finish_reason: stop_reason }, ends)
          finished ||= finish !== null
          const usage = isObject(data.usage) && { usage: data.usage }
          return { ...(finish === null ? { choices: [] } : delta({}, finish)), ...usage }
        }
        default:
          over ||= data.type === 'message_stop'
          return { choices: [] }
      }
    },
    get finished() {
      return finished
    },
    get over() {
      return over
    },
  }
}

function texts(text: unknown, thinking: unknown): Record<string, string> {
  return {
    ...(typeof text === 'string' && text !== '' && { content: text }),
    ...(typeof thinking === 'string' && thinking !== '' && { reasoning_content: thinking }),
  }
}
