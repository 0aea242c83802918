import type { Video } from '../rows.ts'
import { move } from '../state/move.ts'
import type { WorkContext } from './context.ts'
import { end } from './turn.ts'

export const tooLate = 'The video was not there within two hours'

/** What a user is told of an order of which only its process could have known whether it arrived. */
export function unknownWhether(words?: string): string {
  const advice =
    'Whether the provider has taken the order is not known, so it was not sent again; order the video anew if you still want it'
  return words === undefined ? advice : `${words}. ${advice}`
}

/**
 * Ends a video that will not come.
 * @param charged whether the provider may charge for it all the same
 * @throws Overtaken
 */
export function giveUp(
  ctx: Pick<WorkContext, 'table' | 'queues' | 'log'>,
  video: Video,
  { error, charged }: { error: string; charged: boolean },
): Promise<void> {
  return end(ctx, video, { state: move(video.state, { kind: 'give-up', error }), charged })
}
