import { withoutThoughts, withOwnParts } from '../answers/content.ts'
import type { CompletionRequest } from '../families/chat/parse.ts'
import type { Provider, Route } from './provider.ts'

/** OpenAI's API, at OpenAI and at Azure. */
const openAiHost = /^(api\.openai\.com|[^.]+\.openai\.azure\.com)$/

function isOpenAi({ name, baseUrl }: Provider): boolean {
  return name === 'openai' || openAiHost.test(hostOf(baseUrl))
}

/** Fields of an assistant's message that every provider accepts. */
const common = ['role', 'content', 'name', 'tool_calls', 'refusal', 'function_call']

interface StrictHost {
  host: RegExp
  fields: ReadonlySet<string>
  /** True if a content can have thinking parts. */
  takesThoughts?: true
}

/**
 * Hosts that refuse a request with a field in an assistant's message that they do not know, such as the reasoning of
 * another vendor's model, and the fields that they take. Groq: https://github.com/janhq/jan/issues/8136; Mistral's API
 * reference, AssistantMessage; OpenAI's API reference, Create chat completion; Cerebras:
 * https://github.com/QwenLM/qwen-code/issues/11045; Fireworks: https://github.com/BerriAI/litellm/issues/39962.
 */
const strictHosts: readonly StrictHost[] = [
  { host: openAiHost, fields: new Set(common) },
  { host: /^api\.groq\.com$/, fields: new Set([...common, 'reasoning']) },
  {
    host: /^(api|codestral)\.mistral\.ai$/,
    fields: new Set([...common, 'prefix']),
    takesThoughts: true,
  },
  { host: /^api\.cerebras\.ai$/, fields: new Set([...common, 'reasoning']) },
  { host: /^api\.fireworks\.ai$/, fields: new Set([...common, 'reasoning_content']) },
]

/** Fields of a tool call that every provider accepts. */
const callFields: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom'])

/** Converts a request for its provider. @returns the same object if nothing changes */
export function inDialectOf(
  { id, provider }: Route,
  request: CompletionRequest,
): CompletionRequest {
  const strict = strictHosts.find(({ host }) => host.test(hostOf(provider.baseUrl)))
  const takesDevelopers = isOpenAi(provider)
  const messages = request.messages.map((message) => {
    if (message.role === 'developer' && !takesDevelopers)
      return { ...message, role: 'system' as const }
    if (message.role !== 'assistant') return message
    const own = withOwnParts(message, id)
    return strict === undefined ? own : knownFields(own, strict)
  })
  const isSame = messages.every((message, i) => message === request.messages[i])
  return isSame ? request : { ...request, messages }
}

type Message = CompletionRequest['messages'][number]

function knownFields(message: Message, { fields, takesThoughts }: StrictHost): Message {
  const { tool_calls: calls, ...known } = only(message, fields) as Message
  const content = takesThoughts ? known.content : withoutThoughts(known.content)
  const rest = { ...known, ...(content !== undefined && { content }) } as Message
  return calls ? { ...rest, tool_calls: calls.map((call) => only(call, callFields)) } : rest
}

function only(fields: Record<string, unknown>, known: ReadonlySet<string>) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => known.has(name)))
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.hostname ?? ''
}
