import type { Video } from '../rows.ts'
import { moveVideo } from '../state/move.ts'
import type { VideoWorkContext } from './context.ts'
import { endVideo } from './save.ts'

export const tooLate = 'The video was not there within two hours'

/** Returns the text for an order of unknown outcome: only its process could know whether it arrived. */
export function unknownOutcome(message?: string): string {
  const advice =
    'It is unknown whether the provider accepted the order, so it was not sent again; order the video again if you still want it'
  return message === undefined ? advice : `${message}. ${advice}`
}

/**
 * Ends a failed video.
 * @param charged whether the provider may charge for it
 * @throws LeaseLost
 */
export function failVideo(
  ctx: Pick<VideoWorkContext, 'table' | 'queues' | 'log'>,
  video: Video,
  { error, charged }: { error: string; charged: boolean },
): Promise<void> {
  return endVideo(ctx, video, {
    state: moveVideo(video.state, { kind: 'give-up', error }),
    charged,
  })
}
