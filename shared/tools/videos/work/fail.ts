import type { Video } from '../rows.ts'
import { moveVideo } from '../state/move.ts'
import type { VideoWorkContext } from './context.ts'
import { endVideo } from './save.ts'

export const tooLate = 'The video was not ready within two hours'

/** Returns the error text for an order whose outcome is unknown, because its process died. */
export function unknownOutcome(message?: string): string {
  const advice =
    'It is unknown whether the provider accepted the order, so it was not sent again; order the video again if you still want it'
  return message === undefined ? advice : `${message}. ${advice}`
}

/**
 * Ends a failed video.
 * @param charged true if the provider may charge for it
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
