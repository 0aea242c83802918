import * as z from 'zod'

/**
 * What has become of a video. `ordering` is written before its order is sent: only the process that wrote it sends it, so
 * that an order whose process died is never sent again, whether or not it had arrived.
 */
export const videoState = () =>
  z.discriminatedUnion('step', [
    /** `tries`: how often the provider has turned the order away without taking it. */
    z.object({ step: z.literal('wanted'), tries: z.number() }),
    z.object({ step: z.literal('ordering'), tries: z.number() }),
    z.object({ step: z.literal('ordered'), providerId: z.string() }),
    z.object({ step: z.literal('completed'), bytes: z.number() }),
    z.object({
      step: z.literal('failed'),
      error: z.string(),
      /** Its user wanted it no more. */
      cancelled: z.literal(true).optional(),
    }),
  ])

export type VideoState = z.output<ReturnType<typeof videoState>>

export type VideoEvent =
  /** The order is about to be sent. */
  | { kind: 'send' }
  /** It is certain that the provider has not taken the order. */
  | { kind: 'turn-away'; words: string }
  | { kind: 'accept'; providerId: string }
  /** The platform's own copy is whole. */
  | { kind: 'copy'; bytes: number }
  /** Its user wants it no more. */
  | { kind: 'cancel'; error: string }
  /** It will not come. */
  | { kind: 'give-up'; error: string }

/** How often an order is sent that the provider turns away: five times, which is within a minute. */
export const mostTries = 5

/** What an event does to a video in a step, where it may happen there. */
type Moves = {
  [Step in VideoState['step']]: {
    [Kind in VideoEvent['kind']]?: (
      state: Extract<VideoState, { step: Step }>,
      event: Extract<VideoEvent, { kind: Kind }>,
    ) => VideoState
  }
}

const giveUp = (_: unknown, { error }: { error: string }) => ({ step: 'failed', error }) as const

const moves: Moves = {
  wanted: {
    send: ({ tries }) => ({ step: 'ordering', tries }),
    cancel: (_, { error }) => ({ step: 'failed', error, cancelled: true }),
    'give-up': giveUp,
  },
  ordering: {
    'turn-away': ({ tries }, { words }) =>
      tries + 1 < mostTries
        ? { step: 'wanted', tries: tries + 1 }
        : { step: 'failed', error: words },
    accept: (_, { providerId }) => ({ step: 'ordered', providerId }),
    'give-up': giveUp,
  },
  ordered: {
    copy: (_, { bytes }) => ({ step: 'completed', bytes }),
    'give-up': giveUp,
  },
  completed: {},
  failed: {},
}

/** An event that cannot happen to a video in its step. */
export class IllegalMove extends Error {
  constructor(step: VideoState['step'], kind: VideoEvent['kind']) {
    super(`a video that is ${step} cannot ${kind}`)
    this.name = 'IllegalMove'
  }
}

/** The video after an event. @throws IllegalMove */
export function move(state: VideoState, event: VideoEvent): VideoState {
  const allowed = moves[state.step][event.kind] as
    | ((state: VideoState, event: VideoEvent) => VideoState)
    | undefined
  if (allowed === undefined) throw new IllegalMove(state.step, event.kind)
  return allowed(state, event)
}

/** Whether something is left to do for it. */
export function isOpen({ step }: VideoState): boolean {
  return step !== 'completed' && step !== 'failed'
}

/** What its user is told: it only ever goes on, from left to right. */
export function statusOf({ step }: VideoState): 'queued' | 'processing' | 'completed' | 'failed' {
  if (step === 'ordered') return 'processing'
  return step === 'completed' || step === 'failed' ? step : 'queued'
}
