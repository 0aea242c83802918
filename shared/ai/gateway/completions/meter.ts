import type { Chunk, Completion } from '../answers/form.ts'
import { bytesPerToken } from '../tokens.ts'
import { type ReportedUsage, readUsage, type Size, type TokenUsage, type Units } from '../usage.ts'
import { outputText } from './output.ts'

/** Counts the usage of an answer while it arrives. */
export interface Meter {
  /**
   * Sets the maximum usage of the next model.
   * @param bound true if the limit was sent to the model, so that no more is counted
   * @param presumed the output tokens of an answer whose provider does not count them, besides its text
   */
  expect(size: Size, bound: boolean, presumed?: number): void
  /** @param units the units that the provider counted; default: the units of the maximum usage */
  see(part: Chunk | Completion, units?: Units): void
  /** The rest of the answer is not read. Only the tokens so far count. */
  stop(): void
  /** Returns the provider's counts. A missing count is estimated from the received text. */
  usage(): TokenUsage & { estimated: boolean }
  /** True if the provider has sent both token counts and they are within the bound. */
  counted(): boolean
}

/** Creates the meter of one answer. It counts the tokens of parts that the provider has not counted. */
export function createMeter(): Meter {
  let most: Size = { inputTokens: 0, outputTokens: 0 }
  let bound = false
  let reported: ReportedUsage = {}
  /** Some providers send counts during the answer; the final count arrives with the end of the answer or after it. */
  let last = false
  /** The bytes of the answer that arrived after the provider's last count. */
  let uncounted = 0
  let stopped = false
  let presumed = 0
  let units: Units | undefined

  function usage(): TokenUsage & { estimated: boolean } {
    const { inputTokens, outputTokens, totalTokens, costUsd, ...parts } = reported
    const input = inputTokens ?? Math.min(most.inputTokens, totalTokens ?? Infinity)
    const output =
      (outputTokens ?? (totalTokens === undefined ? presumed : Math.max(0, totalTokens - input))) +
      Math.ceil(uncounted / bytesPerToken)
    const { cacheReadTokens: read, cacheWriteTokens: write, reasoningTokens: reasoning } = parts
    const { cacheWrite1hTokens: long } = parts
    const written = write && Math.min(write, Math.max(0, input - (read ?? 0)))
    const over = bound && output > most.outputTokens
    const kept = over ? most.outputTokens : output
    const ranOn = over && outputTokens !== undefined && outputTokens > most.outputTokens
    const estimated =
      over ||
      inputTokens === undefined ||
      outputTokens === undefined ||
      uncounted > 0 ||
      (stopped && !last)
    return {
      inputTokens: input,
      outputTokens: kept,
      ...(read !== undefined && { cacheReadTokens: Math.min(read, input) }),
      ...(written !== undefined && { cacheWriteTokens: written }),
      ...(written && long && { cacheWrite1hTokens: Math.min(long, written) }),
      ...(reasoning !== undefined && { reasoningTokens: Math.min(reasoning, kept) }),
      ...(costUsd !== undefined && { costUsd }),
      ...(ranOn && { kept: shareOf(kept, outputTokens, reasoning) }),
      ...(units && { units }),
      estimated,
    }
  }

  return {
    expect(size, isLimited, output = 0) {
      presumed = output
      most = size
      units = size.units
      bound = isLimited
    },
    see(part, counted) {
      units = counted ?? units
      const choices = part.choices as Choice[]
      const found = readUsage(part.usage)
      if (found !== undefined) {
        reported = { ...reported, ...found }
        last = choices.every(({ finish_reason }) => typeof finish_reason === 'string')
        if (found.outputTokens !== undefined) uncounted = 0
      }
      if (found?.outputTokens !== undefined) return
      for (const { delta, message } of choices)
        uncounted += Buffer.byteLength(outputText(delta ?? message))
    },
    stop() {
      stopped = true
    },
    usage,
    counted() {
      const { inputTokens, outputTokens } = reported
      return inputTokens !== undefined && outputTokens !== undefined && usage().kept === undefined
    },
  }
}

/** Returns the share of an answer's text that is within the limit. Reasoning counts first. */
function shareOf(kept: number, written: number, reasoning = 0): number {
  const text = written - Math.min(reasoning, written)
  return text === 0 ? 0 : Math.max(0, kept - reasoning) / text
}

interface Choice {
  delta?: unknown
  message?: unknown
  finish_reason?: unknown
}
