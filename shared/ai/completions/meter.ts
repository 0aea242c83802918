import { estimateTokens } from '../tokens.ts'
import { readUsage, type TokenUsage } from '../usage.ts'
import type { UpstreamChunk, UpstreamCompletion } from './upstream.ts'

/** Counts what an answer uses, while it comes. */
export interface Meter {
  see(part: UpstreamChunk | UpstreamCompletion): void
  /** As the provider counted it, or else as it was seen. */
  usage(): TokenUsage & { estimated: boolean }
  /** Whether the provider has counted it. */
  counted(): boolean
}

/** @param promptTokens the estimate for a provider that does not count */
export function createMeter(promptTokens: number): Meter {
  let reported: TokenUsage | undefined
  let seen = 0
  return {
    see(part) {
      reported = readUsage(part.usage) ?? reported
      if (reported !== undefined) return
      for (const { delta, message } of part.choices as { delta?: unknown; message?: unknown }[])
        seen += spokenTokens(delta ?? message)
    },
    usage: () =>
      reported === undefined
        ? { inputTokens: promptTokens, outputTokens: Math.ceil(seen), estimated: true }
        : { ...reported, estimated: false },
    counted: () => reported !== undefined,
  }
}

interface Spoken {
  content?: unknown
  reasoning?: unknown
  reasoning_content?: unknown
  tool_calls?: unknown
}

function spokenTokens(part: unknown): number {
  const { content, reasoning, reasoning_content, tool_calls } = (part ?? {}) as Spoken
  const texts = [content, reasoning, reasoning_content].filter((each) => typeof each === 'string')
  const calls = tool_calls === undefined ? '' : JSON.stringify(tool_calls)
  return estimateTokens(texts.join('') + calls)
}
