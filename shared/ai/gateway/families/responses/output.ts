import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import { isObject } from '../../answers/form.ts'
import { FreeText } from './free-text.ts'
import type { NamedTool, ToolNames } from './translate-tools.ts'

/** An event without its number in the stream. */
export type Unnumbered = Record<string, unknown> & { type: string }

export type ItemStatus = 'completed' | 'in_progress' | 'incomplete'

/** An item of a response's output, in OpenAI's form. */
export interface OutputItem extends Record<string, unknown> {
  id: string
  type: string
}

export type MessagePart = Record<string, unknown> & { type: 'output_text' | 'refusal' }

export function textPart(text: string, logprobs: unknown): MessagePart {
  return {
    type: 'output_text',
    text,
    annotations: [],
    logprobs: Array.isArray(logprobs) ? logprobs : [],
  }
}

export function refusalPart(refusal: string): MessagePart {
  return { type: 'refusal', refusal }
}

export function messageItem(
  id: string,
  content: readonly MessagePart[],
  status: ItemStatus,
): OutputItem {
  return { id, type: 'message', status, role: 'assistant', content }
}

/**
 * A model's thinking is the summary of its item, because clients show and return summaries.
 * @param sealed the encrypted content
 */
export function reasoningItem(id: string, thinking: string, sealed: string): OutputItem {
  const summary = thinking === '' ? [] : [{ type: 'summary_text', text: thinking }]
  return { id, type: 'reasoning', summary, encrypted_content: sealed }
}

/** The called function of a chat completion. */
export interface CalledFunction {
  id: string
  callId: string
  tool: NamedTool
  json: string
}

/** Finds the tool of a called function. A name that the request does not have stays a function. */
export function calledTool(tools: ToolNames, name: string): NamedTool {
  return tools.get(name) ?? { kind: 'function', name }
}

const prefixes = {
  custom: idPrefixes.customToolCall,
  function: idPrefixes.functionCall,
  search: idPrefixes.toolSearchCall,
} as const

export function callId({ kind }: NamedTool): string {
  return newId(prefixes[kind])
}

export function callItem(
  { id, callId, tool, json }: CalledFunction,
  status: ItemStatus,
): OutputItem {
  const { kind, name, namespace } = tool
  const called = { call_id: callId, name, ...(namespace !== undefined && { namespace }) }
  if (kind === 'function') return { id, type: 'function_call', status, ...called, arguments: json }
  if (kind === 'custom')
    return { id, type: 'custom_tool_call', status, ...called, input: freeTextOf(json) }
  const found = jsonIn(json)
  return {
    id,
    type: 'tool_search_call',
    status,
    call_id: callId,
    execution: 'client',
    arguments: isObject(found) ? found : {},
  }
}

function freeTextOf(json: string): string {
  const reader = new FreeText()
  reader.add(json)
  return reader.whole()
}

/** @returns undefined for text that is not JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The name and arguments of a call, or of a piece of it. */
export function functionOf({ function: called, custom }: Record<string, unknown>) {
  const { name, arguments: json, input } = Object(called ?? custom) as Record<string, unknown>
  const text = json ?? input
  return {
    name: typeof name === 'string' ? name : '',
    json: typeof text === 'string' ? text : '',
  }
}

/** The field of the thinking in a message, and its text. */
export function thinkingIn({
  reasoning_content,
  reasoning,
}: Record<string, unknown>): [string, string] {
  if (typeof reasoning_content === 'string') return ['reasoning_content', reasoning_content]
  return ['reasoning', typeof reasoning === 'string' ? reasoning : '']
}
