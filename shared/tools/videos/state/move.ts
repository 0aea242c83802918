import * as z from 'zod'

/**
 * The state of a video. `ordering` is written before its order is sent, and only the process that wrote it sends it.
 * The order of a killed process is therefore never sent again, whether or not it arrived.
 */
export const videoState = () =>
  z.discriminatedUnion('step', [
    /** `tries`: how often the provider rejected the order without accepting it. */
    z.object({ step: z.literal('wanted'), tries: z.number() }),
    z.object({ step: z.literal('ordering'), tries: z.number() }),
    z.object({ step: z.literal('ordered'), providerId: z.string() }),
    z.object({ step: z.literal('completed'), bytes: z.number() }),
    z.object({
      step: z.literal('failed'),
      error: z.string(),
      /** True if its user cancelled it. */
      cancelled: z.literal(true).optional(),
    }),
  ])

export type VideoState = z.output<ReturnType<typeof videoState>>

export type VideoEvent =
  /** The order is about to be sent. */
  | { kind: 'send' }
  /** The provider has certainly not accepted the order. */
  | { kind: 'turn-away'; message: string }
  | { kind: 'accept'; providerId: string }
  /** The platform's copy is complete. */
  | { kind: 'copy'; bytes: number }
  /** Its user cancels it. */
  | { kind: 'cancel'; error: string }
  /** The video has failed. */
  | { kind: 'give-up'; error: string }

/** The maximum number of attempts of an order that the provider rejects temporarily: five, within a minute. */
export const maxTries = 5

/** The transitions of each step, by the allowed events. */
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
    'turn-away': ({ tries }, { message }) =>
      tries + 1 < maxTries
        ? { step: 'wanted', tries: tries + 1 }
        : { step: 'failed', error: message },
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

/** Thrown if the event is not allowed in the video's step. */
export class IllegalVideoMove extends Error {
  constructor(step: VideoState['step'], kind: VideoEvent['kind']) {
    super(`a video that is ${step} cannot ${kind}`)
    this.name = 'IllegalVideoMove'
  }
}

/**
 * Returns the state after an event.
 * @throws IllegalVideoMove
 */
export function moveVideo(state: VideoState, event: VideoEvent): VideoState {
  const allowed = moves[state.step][event.kind] as
    | ((state: VideoState, event: VideoEvent) => VideoState)
    | undefined
  if (allowed === undefined) throw new IllegalVideoMove(state.step, event.kind)
  return allowed(state, event)
}

/** Reports whether a video is unfinished. */
export function isOpen({ step }: VideoState): boolean {
  return step !== 'completed' && step !== 'failed'
}

/** Returns the public status. It only advances, from left to right. */
export function videoStatusOf({
  step,
}: VideoState): 'queued' | 'processing' | 'completed' | 'failed' {
  if (step === 'ordered') return 'processing'
  return step === 'completed' || step === 'failed' ? step : 'queued'
}
