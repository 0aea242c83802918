import { invalid } from '../../parse.ts'
import type { CompletionRequest } from '../chat/parse.ts'
import type { ResponsesRequest } from './parse.ts'
import type { Tool } from './tools.ts'
import { toMessages } from './translate-input.ts'
import { nameOf, toFunctions, type ToolNames } from './translate-tools.ts'

/** A request as a chat completion, and the original tools of its functions. */
export interface Translated {
  chat: CompletionRequest
  tools: ToolNames
}

/**
 * Translates a request to a chat completion. Fields that only advise, such as `include`, `metadata` and
 * `prompt_cache_key`, are left out.
 * @throws PlatformError 400 that names what has no translation
 */
export function toChat(request: ResponsesRequest): Translated {
  const { model, stream, instructions, input, temperature, top_p, top_logprobs, user } = request
  const { functions, names } = toFunctions(toolsOf(request))
  const { tool_choice, tools } = toToolChoice(request.tool_choice, functions)
  const effort = request.reasoning?.effort
  const format = toFormat(request.text?.format)
  const messages = toMessages(input)
  if (instructions) messages.unshift({ role: 'system', content: instructions })
  return {
    tools: names,
    chat: {
      model,
      messages,
      ...(stream && { stream }),
      ...(typeof temperature === 'number' && { temperature }),
      ...(typeof top_p === 'number' && { top_p }),
      ...(top_logprobs && { logprobs: true, top_logprobs }),
      ...(user && { user }),
      ...(tools.length > 0 && { tools, ...(tool_choice && { tool_choice }) }),
      ...(tools.length > 0 &&
        typeof request.parallel_tool_calls === 'boolean' && {
          parallel_tool_calls: request.parallel_tool_calls,
        }),
      ...(effort && { reasoning_effort: effort === 'xhigh' || effort === 'max' ? 'high' : effort }),
      ...(format && { response_format: format }),
    },
  }
}

/** The tools of a request, and those that its input adds, with their places. */
function toolsOf({ tools, input }: ResponsesRequest): [string, Tool][] {
  const first = (tools ?? []).map((tool, i) => [`tools.${i}`, tool] as [string, Tool])
  const items = typeof input === 'string' ? [] : input
  const added = items.flatMap((item, i) =>
    item.type === 'additional_tools' || item.type === 'tool_search_output'
      ? item.tools.map((tool, j) => [`input.${i}.tools.${j}`, tool] as [string, Tool])
      : [],
  )
  return [...first, ...added]
}

type ChatTools = NonNullable<CompletionRequest['tools']>

/** A tool can only be chosen if it is a function, so a choice of several tools leaves out all others. */
function toToolChoice(
  choice: ResponsesRequest['tool_choice'],
  tools: ChatTools,
): { tool_choice?: CompletionRequest['tool_choice']; tools: ChatTools } {
  if (!choice || typeof choice === 'string')
    return { tools, ...(choice && { tool_choice: choice }) }
  if (choice.type === 'function' || choice.type === 'custom')
    return { tools, tool_choice: { type: 'function', function: { name: nameOf(choice) } } }
  if (choice.type !== 'allowed_tools' || !Array.isArray(choice['tools']))
    throw invalid(
      'tool_choice.type',
      `tool_choice.type: only models of OpenAI know the choice ${choice.type}`,
    )
  const allowed = new Set(
    choice['tools'].map((tool) => nameOf(Object(tool) as Record<string, unknown>)),
  )
  return {
    tools: tools.filter((tool) => allowed.has(Object(tool['function']).name as string)),
    tool_choice: choice['mode'] === 'required' ? 'required' : 'auto',
  }
}

function toFormat(
  format: NonNullable<ResponsesRequest['text']>['format'],
): CompletionRequest['response_format'] {
  if (!format || format.type === 'text') return undefined
  const { type, ...json_schema } = format
  return type === 'json_object' ? { type } : { type, json_schema }
}
