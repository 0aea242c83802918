import { keyOfTurn, namedTurn } from '#shared/ai/turns/cost.ts'
import { completionEvent } from '#shared/ai/usage/event.ts'
import { type Drawing, releaseCredits } from '#shared/ai/usage/quota/credits.ts'
import { renewSlot } from '#shared/ai/usage/quota/open-calls.ts'
import { release } from '#shared/ai/usage/quota/release.ts'
import type { Reservation } from '#shared/ai/usage/quota/settlement.ts'
import { quotaTokens } from '#shared/ai/usage/quota/unit-tokens.ts'
import { longestWaitMs, recordUsage } from '#shared/ai/usage/record.ts'
import type { Caller } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { callCost } from '../cost.ts'
import type { Route } from '../providers/provider.ts'
import type { TokenUsage } from '../usage.ts'
import type { Meter } from './meter.ts'
import type { CallTrace } from './trace.ts'

export interface CallSettlement {
  /** Sets the model that serves the call. */
  servedBy(route: Route): void
  /** Marks the answer as complete. */
  complete(): void
  /**
   * Records the usage. Later calls do nothing. When it returns, the table or the queue has the record, and the end of
   * the answer can be sent. Never throws.
   */
  settle(): Promise<void>
  /** Records the spans, after the answer is sent. Never throws. */
  followed(): Promise<void>
  /** Releases the reservation of a call that no model served. Never throws: a remaining reservation expires. */
  release(): Promise<void>
}

interface Settled {
  caller: Caller
  endpoint: string
  /** The caller's `tracestate` header, if any. */
  tracestate?: string | null | undefined
  reservation: Reservation
  drawing: Drawing | undefined
  meter: Meter
  trace: CallTrace | undefined
}

function partsOf({ cacheReadTokens, cacheWriteTokens, reasoningTokens }: TokenUsage) {
  return {
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

/** Creates the accounting of one completion, from its reservation to its record. */
export function createSettlement(
  context: AiContext,
  { caller, endpoint, tracestate = null, reservation, drawing, meter, trace }: Settled,
): CallSettlement {
  const started = performance.now()
  const startedAt = Date.now()
  const stopRenewals = renewSlot(context.table, reservation)
  const turn = namedTurn(caller, tracestate)
  let served: Route | undefined
  let success = false
  let settled: Promise<void> | undefined

  async function settle(): Promise<void> {
    if (served === undefined) return releaseHold()
    const began = performance.now()
    await stopRenewals()
    const usage = meter.usage()
    const event = completionEvent({
      userId: caller.userId,
      agentId: caller.agentId,
      ...(await keyThatAsked()),
      model: served.id,
      provider: served.provider.name,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      ...partsOf(usage),
      costUsd: await callCost(context.catalogue, served, usage, startedAt),
      estimated: usage.estimated,
      success,
      durationMs: Math.round(performance.now() - started),
      endpoint,
    })
    trace?.served(event)
    const call = {
      event,
      reservation,
      drawing,
      ownKey: served.own !== undefined,
      ...(usage.units && { quotaTokens: quotaTokens(usage, usage.units) }),
      turn,
    }
    await recordUsage(context, call, { waitMs: longestWaitMs - (performance.now() - began) })
  }

  /** Returns the API key of the request, or of the turn. */
  async function keyThatAsked() {
    if (turn === undefined) return caller.key
    const late = Promise.withResolvers<never>()
    const tooLate = () => late.reject(new Error('the table did not answer in time'))
    const timer = setTimeout(tooLate, longestWaitMs / 2)
    return Promise.race([keyOfTurn(context.table, turn), late.promise])
      .catch((error: unknown) => {
        context.log.warn('the key of a turn could not be read', { error })
        return undefined
      })
      .finally(() => clearTimeout(timer))
  }

  async function releaseHold(): Promise<void> {
    const { userId } = caller
    await stopRenewals()
    await Promise.all([
      release(context, { reservation }),
      drawing?.hold && releaseCredits(context, { userId, hold: drawing.hold }),
    ]).catch((error: unknown) =>
      context.log.warn('a reservation was not released and will expire', { error }),
    )
  }

  return {
    servedBy: (route) => {
      served = route
    },
    complete: () => {
      success = true
    },
    settle: () => (settled ??= settle()),
    async followed() {
      await trace?.send()
    },
    async release() {
      await (settled ??= releaseHold())
      await trace?.send()
    },
  }
}
