import { isObject } from '../../answers/form.ts'
import { type Opaque, openOpaque } from '../../answers/opaque.ts'
import { invalid } from '../../parse.ts'
import type { CompletionRequest } from '../chat/parse.ts'
import type { Content, Item, ItemOf } from './items.ts'
import type { ResponsesRequest } from './parse.ts'
import { nameOf, searchFunction } from './translate-tools.ts'

type ChatMessage = CompletionRequest['messages'][number]
type ChatPart = Exclude<ChatMessage['content'], string | null | undefined>[number]
type Part = Exclude<Content, string>[number]

/** An assistant's message, the results of its calls, and the images of these results. */
interface Turn {
  opaque: Opaque[]
  texts: string[]
  thinking: Record<string, string>
  calls: { id: string; name: string; json: string }[]
  results: ChatMessage[]
  media: ChatPart[]
}

/**
 * Translates items to messages. The items of one answer become one message, and results of tools follow the message
 * with their calls.
 * @throws PlatformError 400 that names an item without a translation
 */
export function toMessages(input: ResponsesRequest['input']): ChatMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const entries: (() => ChatMessage[])[] = []
  const turnOf = new Map<string, Turn>()
  /** Clients can send a reasoning item after the results of the calls whose fields it has. */
  const extras: Record<string, Record<string, unknown>> = {}
  let open: Turn | undefined

  function turn(): Turn {
    if (open !== undefined) return open
    const begun: Turn = { opaque: [], texts: [], thinking: {}, calls: [], results: [], media: [] }
    entries.push(() => messagesOf(begun, extras))
    return (open = begun)
  }

  function call(id: string, name: string, json: string): void {
    turn().calls.push({ id, name, json })
    turnOf.set(id, turn())
  }

  function result(id: string, output: Content): void {
    const called = turnOf.get(id)
    if (called === undefined) return
    open = undefined
    called.results.push({ role: 'tool', tool_call_id: id, content: resultText(output) })
    if (typeof output !== 'string') called.media.push(...output.filter(isMedia).map(toPart))
  }

  for (const [i, item] of input.entries())
    switch (item.type) {
      case 'message': {
        if (item.role === 'assistant') {
          turn().texts.push(plainText(item.content))
          break
        }
        open = undefined
        entries.push(() => [{ role: item.role, content: toContent(item.content) }])
        break
      }
      case 'reasoning':
        addReasoning(item, turn, extras)
        break
      case 'function_call':
        call(item.call_id, nameOf(item), item.arguments)
        break
      case 'custom_tool_call':
        call(item.call_id, nameOf(item), JSON.stringify({ input: item.input }))
        break
      case 'tool_search_call':
        if (item.call_id) call(item.call_id, searchFunction, JSON.stringify(item.arguments ?? {}))
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        result(item.call_id, item.output)
        break
      case 'tool_search_output':
        if (item.call_id) result(item.call_id, JSON.stringify(item.tools))
        break
      case 'additional_tools':
        break
      default:
        throw untranslated(item, i)
    }
  return entries.flatMap((messages) => messages())
}

function untranslated({ type }: Item, index: number): Error {
  const place = `input.${index}.type`
  return invalid(place, `${place}: only models of OpenAI know the item ${type}`)
}

/** The reasoning of a translated answer goes back in its own field. No chat model accepts OpenAI's encrypted content. */
function addReasoning(
  { encrypted_content, summary }: ItemOf<'reasoning'>,
  turn: () => Turn,
  extras: Record<string, Record<string, unknown>>,
): void {
  const opaque = openOpaque(encrypted_content ?? '')
  if (opaque === undefined) return
  const { field, calls, message } = opaque
  for (const [id, fields] of Object.entries(isObject(calls) ? calls : {}))
    if (isObject(fields)) extras[id] = fields
  if (isObject(message)) turn().opaque.push(opaque)
  if (field !== 'reasoning' && field !== 'reasoning_content') return
  const { thinking } = turn()
  thinking[field] = (thinking[field] ?? '') + (summary ?? []).map(({ text }) => text).join('')
}

function messagesOf(
  { opaque, texts, thinking, calls, results, media }: Turn,
  extras: Record<string, Record<string, unknown>>,
): ChatMessage[] {
  const message: ChatMessage = {
    ...Object.assign({}, ...opaque.map((each) => each.message)),
    ...thinking,
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n\n'),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, json }) => ({
        ...extras[id],
        id,
        type: 'function',
        function: { name, arguments: json },
      })),
    }),
  }
  return [
    message,
    ...results,
    ...(media.length > 0 ? [{ role: 'user' as const, content: media }] : []),
  ]
}

function isMedia({ type }: Part): boolean {
  return type === 'input_image' || type === 'input_file' || type === 'input_audio'
}

/** A chat message of a tool has only text. Its images follow in a user's message. */
function resultText(output: Content): string {
  if (typeof output === 'string') return output
  return output.map((part) => (isMedia(part) ? `[${part.type} below]` : textOf(part))).join('\n')
}

function plainText(content: Content): string {
  return typeof content === 'string' ? content : content.map(textOf).join('')
}

/** Some providers accept only a text, so that a message of texts is one text. */
function toContent(content: Content): string | ChatPart[] {
  if (typeof content === 'string') return content
  return content.some(isMedia) ? content.map(toPart) : content.map(textOf).join('\n\n')
}

function textOf(part: Part): string {
  if ('text' in part && typeof part.text === 'string') return part.text
  return part.type === 'refusal' ? part.refusal : ''
}

function toPart(part: Part): ChatPart {
  if (part.type === 'input_image') {
    const { image_url: url, detail } = part
    const known = detail === 'low' || detail === 'high' || detail === 'auto'
    return { type: 'image_url', image_url: { url, ...(known && { detail }) } }
  }
  if (part.type === 'input_audio') return { type: 'input_audio', input_audio: part.input_audio }
  if (part.type !== 'input_file') return { type: 'text', text: textOf(part) }
  const { file_data, file_url, filename } = part
  const data = file_data ?? file_url ?? ''
  return { type: 'file', file: { filename: filename ?? 'document.pdf', file_data: data } }
}
