import { estimateTokens } from '../tokens.ts'
import { readUsage, type TokenUsage } from '../usage.ts'
import type { Size } from './hold.ts'
import type { UpstreamChunk, UpstreamCompletion } from './upstream.ts'

/** Counts what an answer uses, while it comes. */
export interface Meter {
  /** A model is asked that may use so much. */
  expect(size: Size): void
  see(part: UpstreamChunk | UpstreamCompletion): void
  /** The rest of the answer will not be read: without a last count it is taken to be as long as it may be. */
  stop(): void
  /** As the provider counted it, or else as it was seen. */
  usage(): TokenUsage & { estimated: boolean }
  /** Whether the provider has counted it. */
  counted(): boolean
}

export function createMeter(): Meter {
  let most: Size = { inputTokens: 0, outputTokens: 0 }
  let reported: TokenUsage | undefined
  /** Some providers count as they go along; the last count comes with the end of the answer or after it. */
  let last = false
  let seen = 0
  let stopped = false
  return {
    expect(size) {
      most = size
    },
    see(part) {
      const found = readUsage(part.usage)
      const choices = part.choices as Choice[]
      if (found !== undefined) {
        reported = found
        last = choices.every(({ finish_reason }) => typeof finish_reason === 'string')
      }
      if (reported !== undefined) return
      for (const { delta, message } of choices) seen += spokenTokens(delta ?? message)
    },
    stop() {
      stopped = true
    },
    usage() {
      const { inputTokens, outputTokens } = reported ?? {
        inputTokens: most.inputTokens,
        outputTokens: Math.ceil(seen),
      }
      if (stopped && !last)
        return {
          inputTokens,
          outputTokens: Math.max(outputTokens, most.outputTokens),
          estimated: true,
        }
      return reported === undefined
        ? { inputTokens, outputTokens, estimated: true }
        : { ...reported, estimated: false }
    },
    counted: () => reported !== undefined,
  }
}

interface Choice {
  delta?: unknown
  message?: unknown
  finish_reason?: unknown
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
