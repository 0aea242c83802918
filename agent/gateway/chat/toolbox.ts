import type { ToolCall } from './answer.ts'

/** The tools that the gateway itself offers in a turn and carries out. */
export interface Toolbox {
  /** In OpenAI's form. */
  tools: readonly object[]
  /** What the model is told of them. */
  instructions: string
  /**
   * Carries out what the model asked for.
   * @returns the result, bounded; a refusal is one too
   * @throws the signal's reason where the caller left
   */
  run(call: ToolCall, signal: AbortSignal): Promise<string>
  /** The turn has its whole answer. */
  answered(): Promise<void>
}
