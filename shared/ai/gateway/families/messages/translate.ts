import { isObject } from '../../answers/form.ts'
import { type Opaque, openOpaque } from '../../answers/opaque.ts'
import { invalid } from '../../parse.ts'
import type { CompletionRequest } from '../chat/parse.ts'
import { urlOf } from './bound.ts'
import type { Block, MessagesRequest } from './parse.ts'

type ChatMessage = CompletionRequest['messages'][number]
type ChatPart = Exclude<ChatMessage['content'], string | null | undefined>[number]
type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>

/** The longest `user` of OpenAI's request. */
const maxUserLength = 256

/**
 * Translates a request to a chat completion. Fields that only advise, such as `cache_control` and
 * `context_management`, are left out.
 * @throws PlatformError 400 that names the part without a translation
 */
export function toChatRequest(request: MessagesRequest): CompletionRequest {
  const { messages, system, max_tokens, stream, temperature, top_p, top_k } = request
  const { stop_sequences, tool_choice, metadata, output_config } = request
  const user = metadata?.user_id
  const effort = effortOf(request)
  const tools = request.tools?.map(toTool)
  const translated = messages.flatMap(toMessages)
  if (system) translated.unshift({ role: 'system', content: toText(system) })
  return {
    model: request.model,
    messages: translated,
    max_tokens,
    ...(stream && { stream }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { top_p }),
    ...(typeof top_k === 'number' && { top_k }),
    ...(stop_sequences?.length && { stop: stop_sequences }),
    ...(user && user.length <= maxUserLength && { user }),
    ...(tools?.length && { tools }),
    ...(tools?.length && tool_choice && toToolChoice(tool_choice)),
    ...(effort && { reasoning_effort: effort }),
    ...(output_config?.format && { response_format: toFormat(output_config.format) }),
  }
}

function toText(text: string | readonly BlockOf<'text'>[]): string {
  return typeof text === 'string' ? text : text.map((block) => block.text).join('\n\n')
}

/** A user's message becomes the results of tools, then the rest: results follow their calls. */
function toMessages(message: MessagesRequest['messages'][number], index: number): ChatMessage[] {
  const { role, content } = message
  if (typeof content === 'string') return [{ role, content }]
  if (role === 'assistant') return [toAssistant(content)]
  const results: ChatMessage[] = []
  const parts: ChatPart[] = []
  for (const [i, block] of content.entries()) {
    if (block.type === 'tool_result') {
      results.push({
        role: 'tool',
        tool_call_id: block.tool_use_id,
        content: resultText(block),
      })
      if (Array.isArray(block.content))
        for (const part of block.content) if (isMedia(part)) parts.push(...toParts(part))
    } else if (block.type === 'tool_use' || isThought(block)) {
      const place = `messages.${index}.content.${i}.type`
      throw invalid(place, `${place}: ${block.type} belongs to the assistant's messages`)
    } else parts.push(...toParts(block))
  }
  return parts.length === 0 ? results : [...results, { role, content: onlyText(parts) }]
}

function isMedia(part: { type: string }): part is BlockOf<'document' | 'image'> {
  return part.type === 'image' || part.type === 'document'
}

function isThought(block: Block): block is BlockOf<'redacted_thinking' | 'thinking'> {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** A chat message of a tool has only text. Its images follow in the user's message. */
function resultText({ content, is_error }: BlockOf<'tool_result'>): string {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? [])
          .map((part) => {
            if (part.type === 'text') return part.text
            if (part.type === 'tool_reference') return part.tool_name
            return part.type === 'search_result' ? searchText(part) : `[${part.type} below]`
          })
          .join('\n')
  return is_error === true ? `Error: ${text}` : text
}

function searchText({ source, title, content }: BlockOf<'search_result'>): string {
  return [`${title} (${source})`, ...content.map(({ text }) => text)].join('\n')
}

type UserBlock = BlockOf<'document' | 'image' | 'search_result' | 'text'>

function toParts(block: UserBlock): ChatPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }]
  if (block.type === 'image')
    return [{ type: 'image_url', image_url: { url: urlOf(block.source) } }]
  if (block.type === 'search_result') return [{ type: 'text', text: searchText(block) }]
  const { source, title, context } = block
  const head = [title, context].filter(Boolean).join('\n')
  const heading: ChatPart[] = head === '' ? [] : [{ type: 'text', text: head }]
  if (source.type === 'text') return [...heading, { type: 'text', text: source.data }]
  if (source.type === 'content')
    return typeof source.content === 'string'
      ? [...heading, { type: 'text', text: source.content }]
      : [...heading, ...source.content.flatMap(toParts)]
  const file_data =
    source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  return [...heading, { type: 'file', file: { filename: title ?? 'document.pdf', file_data } }]
}

/** Some providers accept only a text, so a message of texts is one text. */
function onlyText(parts: ChatPart[]): string | ChatPart[] {
  const texts = parts.map((part) => (part.type === 'text' ? String(part['text']) : undefined))
  return texts.includes(undefined) ? parts : texts.join('\n\n')
}

function toAssistant(blocks: readonly Block[]): ChatMessage {
  const opaque = blocks.map(opaqueOf).filter((found) => found !== undefined)
  const extras: Record<string, Record<string, unknown>> = Object.assign(
    {},
    ...opaque.map(({ calls }) => calls),
  )
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const calls = blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            ...(isObject(extras[block.id]) && extras[block.id]),
            id: block.id,
            type: 'function',
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  )
  const message: ChatMessage = {
    ...Object.assign({}, ...opaque.map(({ message }) => (isObject(message) ? message : {}))),
    ...thinkingOf(blocks),
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n\n'),
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls }
}

function opaqueOf(block: Block): Opaque | undefined {
  if (block.type === 'redacted_thinking') return openOpaque(block.data)
  return block.type === 'thinking' ? openOpaque(block.signature ?? '') : undefined
}

/** The thinking of a translated answer goes back in its own field. No chat model accepts Anthropic's signatures. */
function thinkingOf(blocks: readonly Block[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const block of blocks) {
    if (block.type !== 'thinking') continue
    const field = openOpaque(block.signature ?? '')?.field
    if (field === 'reasoning' || field === 'reasoning_content')
      fields[field] = (fields[field] ?? '') + block.thinking
  }
  return fields
}

function toTool(tool: NonNullable<MessagesRequest['tools']>[number], index: number) {
  const { type, name, description, input_schema } = tool
  if (typeof type === 'string' && type !== 'custom') {
    const place = `tools.${index}.type`
    throw invalid(place, `${place}: only models of Anthropic know the tool ${type}`)
  }
  return {
    type: 'function' as const,
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      parameters: input_schema ?? { type: 'object', properties: {} },
      ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
    },
  }
}

const toolChoices = { auto: 'auto', any: 'required', none: 'none' } as const

function toToolChoice({
  type,
  name,
  disable_parallel_tool_use: single,
}: NonNullable<MessagesRequest['tool_choice']>) {
  return {
    tool_choice:
      type === 'tool' ? { type: 'function', function: { name: name ?? '' } } : toolChoices[type],
    ...(single === true && { parallel_tool_calls: false }),
  }
}

/** OpenAI's efforts by tokens of thinking: OpenRouter's shares of 32,000 tokens, rounded. */
const efforts = [
  { below: 6_400, effort: 'low' },
  { below: 16_000, effort: 'medium' },
]

function effortOf({ thinking, output_config }: MessagesRequest): string | undefined {
  const effort = output_config?.effort
  if (effort === 'max' || effort === 'xhigh') return 'high'
  if (effort) return effort
  if (thinking?.type !== 'enabled') return undefined
  const budget = thinking.budget_tokens ?? 0
  return efforts.find(({ below }) => budget < below)?.effort ?? 'high'
}

function toFormat(
  format: NonNullable<NonNullable<MessagesRequest['output_config']>['format']>,
): CompletionRequest['response_format'] {
  if (format.type !== 'json_schema')
    throw invalid('output_config.format.type', 'output_config.format.type must be json_schema')
  return {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: format.schema, strict: true },
  }
}
