import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  IllegalVideoMove,
  isOpen,
  maxTries,
  moveVideo,
  videoStatusOf,
  type VideoEvent,
  type VideoState,
} from './move.ts'

const event: fc.Arbitrary<VideoEvent> = fc.oneof(
  fc.constant({ kind: 'send' } as const),
  fc.constant({ kind: 'turn-away', message: 'later' } as const),
  fc.constant({ kind: 'accept', providerId: 'video_1' } as const),
  fc.constant({ kind: 'copy', bytes: 7 } as const),
  fc.constant({ kind: 'give-up', error: 'no' } as const),
  fc.constant({ kind: 'cancel', error: 'no' } as const),
)

/** An independent model of the allowed events, based on what the outside world has seen. */
interface Model {
  /** An order was sent, and its response was not recorded. */
  underWay: boolean
  sent: number
  accepted: number
  ended: boolean
}

function mayHappen({ kind }: VideoEvent, model: Model): boolean {
  if (model.ended) return false
  switch (kind) {
    case 'send':
    case 'cancel':
      return !model.underWay && model.accepted === 0
    case 'accept':
    case 'turn-away':
      return model.underWay
    case 'copy':
      return model.accepted === 1
    case 'give-up':
      return true
  }
}

function happen({ kind }: VideoEvent, model: Model): void {
  if (kind === 'send') model.sent++
  if (kind === 'accept') model.accepted++
  model.underWay = kind === 'send'
  const isLastTry = kind === 'turn-away' && model.sent === maxTries
  model.ended = ['copy', 'give-up', 'cancel'].includes(kind) || isLastTry
}

const order = ['queued', 'processing', 'completed', 'failed']

describe('the states of a video', () => {
  it('have exactly the transitions of the model', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state: VideoState = { step: 'wanted', tries: 0 }
        const model: Model = { underWay: false, sent: 0, accepted: 0, ended: false }
        for (const one of events) {
          if (!mayHappen(one, model)) {
            const before = state
            expect(() => moveVideo(before, one)).toThrow(IllegalVideoMove)
            continue
          }
          const before = videoStatusOf(state)
          state = moveVideo(state, one)
          happen(one, model)
          expect(isOpen(state)).toBe(!model.ended)
          expect(order.indexOf(videoStatusOf(state))).toBeGreaterThanOrEqual(order.indexOf(before))
          expect(model.accepted).toBeLessThanOrEqual(1)
          expect(model.sent).toBeLessThanOrEqual(maxTries)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('end as completed with the size, or as failed with the reason', () => {
    const ordered = moveVideo(moveVideo({ step: 'wanted', tries: 0 }, { kind: 'send' }), {
      kind: 'accept',
      providerId: 'video_1',
    })
    expect(ordered).toEqual({ step: 'ordered', providerId: 'video_1' })
    expect(moveVideo(ordered, { kind: 'copy', bytes: 7 })).toEqual({ step: 'completed', bytes: 7 })
    expect(moveVideo(ordered, { kind: 'give-up', error: 'no' })).toEqual({
      step: 'failed',
      error: 'no',
    })
  })
})
