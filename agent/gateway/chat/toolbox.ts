import { Problem } from '../http/problem.ts'
import type { ToolCall } from './calls.ts'

/** In OpenAI's form. */
export interface FunctionTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: object
  }
}

/** Tools of one kind that the gateway offers in a turn and carries out. */
export interface ToolSource {
  tools: readonly FunctionTool[]
  /** What the model is told of them. */
  instructions: string
  /**
   * Carries out what the model asked for, by one of its own tools.
   * @returns the result, bounded; a refusal is one too
   * @throws Problem for what the model is told of, and the signal's reason where the caller left
   */
  run(call: ToolCall, signal: AbortSignal): Promise<object>
  /** The turn has its whole answer. */
  answered?(): Promise<void>
}

/** All tools of a turn. */
export interface Toolbox {
  tools: readonly FunctionTool[]
  instructions: string
  /** @returns what the model is told, in JSON. @throws the signal's reason where the caller left */
  run(call: ToolCall, signal: AbortSignal): Promise<string>
  answered(): Promise<void>
}

/** @returns undefined for no sources; of tools with one name the first source's */
export function toolboxOf(sources: readonly ToolSource[]): Toolbox | undefined {
  if (sources.length === 0) return undefined
  const byName = new Map<string, { tool: FunctionTool; source: ToolSource }>()
  for (const source of sources)
    for (const tool of source.tools)
      if (!byName.has(tool.function.name)) byName.set(tool.function.name, { tool, source })
  return {
    tools: [...byName.values()].map(({ tool }) => tool),
    instructions: sources.map((source) => source.instructions).join('\n\n'),
    async run(call, signal) {
      const found = byName.get(call.function.name)
      if (found === undefined) return JSON.stringify({ error: 'There is no such tool' })
      try {
        return JSON.stringify(await found.source.run(call, signal))
      } catch (error) {
        signal.throwIfAborted()
        // The model is told, and may say so: a tool that fails is no failure of the turn.
        if (error instanceof Problem) return JSON.stringify({ error: error.message })
        throw error
      }
    },
    async answered() {
      for (const source of sources) await source.answered?.()
    },
  }
}
