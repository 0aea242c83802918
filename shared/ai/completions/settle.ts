import { completionEvent } from '../../usage/event.ts'
import { type Drawing, releaseCredits } from '../../usage/quota/credits.ts'
import { release } from '../../usage/quota/release.ts'
import type { Reservation } from '../../usage/quota/settlement.ts'
import { recordUsage } from '../../usage/record.ts'
import type { Caller } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { costOf } from '../cost.ts'
import type { Route } from '../providers/provider.ts'
import type { Meter } from './meter.ts'

export interface Settlement {
  /** Which model is at it. */
  servedBy(route: Route): void
  /** The answer is whole. */
  complete(): void
  /** Records what was used, once, however often it is called. Never throws. */
  settle(): Promise<void>
  /** Gives back what was held, for a call that no model served. Never throws: what is left expires. */
  release(): Promise<void>
}

interface Settled {
  caller: Caller
  endpoint: string
  reservation: Reservation
  drawing: Drawing | undefined
  meter: Meter
}

/** The books of one completion, from its reservation to its record. */
export function createSettlement(
  context: AiContext,
  { caller, endpoint, reservation, drawing, meter }: Settled,
): Settlement {
  const started = performance.now()
  let served: Route | undefined
  let success = false
  let settled: Promise<void> | undefined

  async function settle(): Promise<void> {
    if (served === undefined) return giveBack()
    const usage = meter.usage()
    const event = completionEvent({
      userId: caller.userId,
      agentId: caller.agentId,
      ...caller.key,
      model: served.id,
      provider: served.provider.name,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      costUsd: await costOf(context.catalogue, served, usage),
      estimated: usage.estimated,
      success,
      durationMs: Math.round(performance.now() - started),
      endpoint,
    })
    await recordUsage(context, { event, reservation, drawing, ownKey: served.own !== undefined })
  }

  async function giveBack(): Promise<void> {
    const { userId } = caller
    await Promise.all([
      release(context, { reservation }),
      drawing?.hold && releaseCredits(context, { userId, hold: drawing.hold }),
    ]).catch((error: unknown) => context.log.warn('a reservation is left to expire', { error }))
  }

  return {
    servedBy: (route) => {
      served = route
    },
    complete: () => {
      success = true
    },
    settle: () => (settled ??= settle()),
    release: () => (settled ??= giveBack()),
  }
}
