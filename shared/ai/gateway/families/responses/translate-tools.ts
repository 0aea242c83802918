import { invalid } from '../../parse.ts'
import type { CompletionRequest } from '../chat/parse.ts'
import type { Tool } from './tools.ts'

/** The original tool of a function in a translated request. */
export interface NamedTool {
  kind: 'custom' | 'function' | 'search'
  name: string
  namespace?: string
}

/** The tools of a request by the names of their functions. */
export type ToolNames = ReadonlyMap<string, NamedTool>

/** The function that a client's tool search becomes. */
export const searchFunction = 'tool_search'

type ChatTools = NonNullable<CompletionRequest['tools']>

/**
 * Translates tools to functions of chat completions. The tools of a namespace have it before their name.
 * @param tools the tools with their places
 * @throws PlatformError 400 that names a tool without a translation
 */
export function toFunctions(tools: readonly (readonly [string, Tool])[]): {
  functions: ChatTools
  names: ToolNames
} {
  const functions = new Map<string, ChatTools[number]>()
  const names = new Map<string, NamedTool>()

  function add(named: NamedTool, called: Omit<Called, 'name'>): void {
    const name = nameOf({ ...named })
    names.set(name, named)
    functions.set(name, { type: 'function', function: { name, ...called } })
  }

  function addTool(tool: Callable, namespace?: string): void {
    const named = { name: tool.name, ...(namespace && { namespace }) }
    if (tool.type === 'custom') add({ kind: 'custom', ...named }, textFunction(tool))
    else
      add(
        { kind: 'function', ...named },
        {
          ...described(tool.description),
          parameters: tool.parameters ?? { type: 'object', properties: {} },
          ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
        },
      )
  }

  for (const [place, tool] of tools) {
    if (tool.type === 'function' || tool.type === 'custom') addTool(tool)
    else if (tool.type === 'namespace') for (const each of tool.tools) addTool(each, tool.name)
    else if (tool.type !== 'tool_search')
      throw invalid(
        `${place}.type`,
        `${place}.type: only models of OpenAI know the tool ${tool.type}`,
      )
    // A search of the provider only loads tools that are in the request anyway.
    else if (tool.execution === 'client')
      add(
        { kind: 'search', name: searchFunction },
        {
          ...described(tool.description),
          parameters: tool.parameters ?? { type: 'object', properties: {} },
        },
      )
  }
  return { functions: [...functions.values()], names }
}

type Callable = Extract<Tool, { type: 'custom' | 'function' }>

interface Called {
  name: string
  description?: string
  parameters: object
  strict?: boolean
}

function described(description: string | null | undefined) {
  return description ? { description } : {}
}

/**
 * A custom tool takes free text, which can have a grammar. Few providers of chat completions serve such tools, so that
 * it becomes a function with one text.
 */
function textFunction({ description, format }: Extract<Tool, { type: 'custom' }>) {
  const lines = [
    description,
    'Call this function with a JSON object. Its field `input` has the whole text of the input.',
    format?.type === 'grammar' &&
      `The text follows this grammar (${format.syntax ?? 'lark'}):\n${format.definition ?? ''}`,
  ]
  return {
    description: lines.filter(Boolean).join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole text of the input' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

/** The function's name of a tool, which can have a namespace. */
export function nameOf({ name, namespace }: Record<string, unknown>): string {
  return typeof namespace === 'string' && namespace !== ''
    ? `${namespace}__${String(name)}`
    : String(name)
}
