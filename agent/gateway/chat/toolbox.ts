import { Problem } from '../http/problem.ts'
import type { ToolCall } from './calls.ts'

/** A tool in OpenAI's format. */
export interface FunctionTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: object
  }
}

/** Tools of one kind that the gateway offers and executes in a turn. */
export interface ToolSource {
  tools: readonly FunctionTool[]
  /** Instructions for the model. */
  instructions: string
  /**
   * Executes a call of one of these tools.
   * @returns the result, with a bounded size; a refusal is a result too
   * @throws Problem to report to the model; the signal's reason if the caller disconnected
   */
  run(call: ToolCall, signal: AbortSignal): Promise<object>
  /** Called when the turn has its whole reply. */
  answered?(): Promise<void>
}

/** All tools of a turn. */
export interface Toolbox {
  tools: readonly FunctionTool[]
  instructions: string
  /** @returns the result for the model as JSON. @throws the signal's reason if the caller disconnected */
  run(call: ToolCall, signal: AbortSignal): Promise<string>
  answered(): Promise<void>
}

/**
 * Returns undefined without sources. If tools of two sources have the same name, the later one is offered as `<name>_2`:
 * an agent writes to other agents and to people by tools named `send_message`.
 */
export function toolboxOf(sources: readonly ToolSource[]): Toolbox | undefined {
  if (sources.length === 0) return undefined
  const byName = new Map<string, { tool: FunctionTool; source: ToolSource }>()
  for (const source of sources)
    for (const tool of source.tools)
      byName.set(byName.has(tool.function.name) ? `${tool.function.name}_2` : tool.function.name, {
        tool,
        source,
      })
  return {
    tools: Array.from(byName, ([name, { tool }]) => ({
      ...tool,
      function: { ...tool.function, name },
    })),
    instructions: sources.map((source) => source.instructions).join('\n\n'),
    async run(call, signal) {
      const found = byName.get(call.function.name)
      if (found === undefined) return JSON.stringify({ error: 'This tool does not exist' })
      try {
        const { name } = found.tool.function
        const named = { ...call, function: { ...call.function, name } }
        return JSON.stringify(await found.source.run(named, signal))
      } catch (error) {
        signal.throwIfAborted()
        // The model receives the error and can report it. A failed tool does not fail the turn.
        if (error instanceof Problem) return JSON.stringify({ error: error.message })
        throw error
      }
    },
    async answered() {
      for (const source of sources) await source.answered?.()
    },
  }
}
