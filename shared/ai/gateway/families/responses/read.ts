import { type Chunk, type Completion, isObject } from '../../answers/form.ts'
import { failureIn, UpstreamFailure } from '../../providers/failure.ts'
import type { Provider } from '../../providers/provider.ts'
import type { EventReader } from '../events.ts'

/** The reason of a failed response without an error. */
const failed = 'the response failed'

/** Returns a response of OpenAI in the form that every family is metered in. Undefined if the body is not a response. */
export function readResponse(body: Record<string, unknown>): Completion | undefined {
  if (!Array.isArray(body.output)) return undefined
  if (body.status === 'failed') throw new UpstreamFailure(failed)
  const items = body.output.filter(isObject)
  const calls = items.filter(isCall).map(callOf)
  const content = joined(items, 'content', 'text')
  const refusal = joined(items, 'content', 'refusal')
  const thinking = joined(items, 'reasoning', 'text')
  return {
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content,
          ...(refusal !== '' && { refusal }),
          ...(thinking !== '' && { reasoning_content: thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishOf(body, calls.length > 0),
      },
    ],
    usage: body.usage,
  }
}

/** Joins the texts of all messages, or of all reasoning, which has a summary, a content or both. */
function joined(
  items: readonly Record<string, unknown>[],
  place: 'content' | 'reasoning',
  field: 'refusal' | 'text',
): string {
  return items
    .filter(({ type }) => type === (place === 'content' ? 'message' : 'reasoning'))
    .flatMap(({ content, summary }) => (place === 'content' ? [content] : [summary, content]))
    .flatMap((parts) => (Array.isArray(parts) ? parts.filter(isObject) : []))
    .map((part) => (typeof part[field] === 'string' ? part[field] : ''))
    .join('')
}

function isCall({ type }: Record<string, unknown>): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function callOf({ call_id: id, name, arguments: json, input }: Record<string, unknown>) {
  return { id, type: 'function', function: { name, arguments: json ?? input } }
}

function finishOf({ status, incomplete_details }: Record<string, unknown>, calls: boolean): string {
  if (status === 'incomplete')
    return Object(incomplete_details).reason === 'content_filter' ? 'content_filter' : 'length'
  return calls ? 'tool_calls' : 'stop'
}

/** Reads the events of one streamed response. Its last event completes it. */
export function createResponseReader(provider: Provider): EventReader {
  let finished = false
  let calls = 0

  function delta(fields: Record<string, unknown>, finish_reason: string | null = null): Chunk {
    return { choices: [{ index: 0, delta: fields, finish_reason }] }
  }

  function piece(field: string, { delta: text }: Record<string, unknown>): Chunk {
    return delta(typeof text === 'string' ? { [field]: text } : {})
  }

  return {
    read(data) {
      switch (data.type) {
        case 'response.output_item.added': {
          const item = Object(data.item) as Record<string, unknown>
          if (!isCall(item)) return delta({})
          const { call_id: id, name } = item
          const called = { index: calls++, id, type: 'function', function: { name, arguments: '' } }
          return delta({ tool_calls: [called] })
        }
        case 'response.output_text.delta':
          return piece('content', data)
        case 'response.refusal.delta':
          return piece('refusal', data)
        case 'response.reasoning_text.delta':
        case 'response.reasoning_summary_text.delta':
          return piece('reasoning_content', data)
        case 'response.function_call_arguments.delta':
        case 'response.custom_tool_call_input.delta': {
          const text = typeof data.delta === 'string' ? data.delta : ''
          const last = { index: Math.max(0, calls - 1), function: { arguments: text } }
          return delta({ tool_calls: [last] })
        }
        case 'response.failed':
          throw failureIn(data.response, provider) ?? new UpstreamFailure(failed)
        case 'response.completed':
        case 'response.incomplete': {
          const response = Object(data.response) as Record<string, unknown>
          finished = true
          return {
            ...delta({}, finishOf(response, calls > 0)),
            ...(isObject(response.usage) && { usage: response.usage }),
          }
        }
        default:
          return { choices: [] }
      }
    },
    get finished() {
      return finished
    },
    get over() {
      return finished
    },
  }
}
