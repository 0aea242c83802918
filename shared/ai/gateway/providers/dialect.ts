import type { CompletionRequest } from '../request.ts'
import type { Provider, Route } from './provider.ts'

/** OpenAI's API, at OpenAI and at Azure. */
const openAiHost = /^(api\.openai\.com|[^.]+\.openai\.azure\.com)$/

function isOpenAi({ name, baseUrl }: Provider): boolean {
  return name === 'openai' || openAiHost.test(hostOf(baseUrl))
}

/** Fields of an assistant's message that every provider accepts. */
const common = ['role', 'content', 'name', 'tool_calls', 'refusal', 'function_call']

/**
 * Hosts that refuse a request with a field in an assistant's message that they do not know, such as the reasoning of
 * another vendor's model, and the fields that they take. Groq: https://github.com/janhq/jan/issues/8136; Mistral's API
 * reference, AssistantMessage; OpenAI's API reference, Create chat completion; Cerebras:
 * https://github.com/QwenLM/qwen-code/issues/11045; Fireworks: https://github.com/BerriAI/litellm/issues/39962.
 */
const strictHosts: readonly { host: RegExp; fields: ReadonlySet<string> }[] = [
  { host: openAiHost, fields: new Set(common) },
  { host: /^api\.groq\.com$/, fields: new Set([...common, 'reasoning']) },
  { host: /^(api|codestral)\.mistral\.ai$/, fields: new Set([...common, 'prefix']) },
  { host: /^api\.cerebras\.ai$/, fields: new Set([...common, 'reasoning']) },
  { host: /^api\.fireworks\.ai$/, fields: new Set([...common, 'reasoning_content']) },
]

/** Fields of a tool call that every provider accepts. */
const callFields: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom'])

/** Converts a request for its provider. @returns the same object if nothing changes */
export function inDialectOf({ provider }: Route, request: CompletionRequest): CompletionRequest {
  const known = strictHosts.find(({ host }) => host.test(hostOf(provider.baseUrl)))?.fields
  const renames = !isOpenAi(provider) && request.messages.some(({ role }) => role === 'developer')
  if (known === undefined && !renames) return request
  const messages = request.messages.map((message) => {
    if (message.role === 'developer' && renames) return { ...message, role: 'system' as const }
    return message.role === 'assistant' && known !== undefined
      ? knownFields(message, known)
      : message
  })
  return { ...request, messages }
}

type Message = CompletionRequest['messages'][number]

function knownFields(message: Message, known: ReadonlySet<string>): Message {
  const { tool_calls: calls, ...rest } = only(message, known) as Message
  return calls ? { ...rest, tool_calls: calls.map((call) => only(call, callFields)) } : rest
}

function only(fields: Record<string, unknown>, known: ReadonlySet<string>) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => known.has(name)))
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.hostname ?? ''
}
