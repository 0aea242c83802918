import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3Objects } from '#shared/platform/objects/s3.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { configuredVideos } from '#shared/tools/videos/configured.ts'
import { videos } from '#shared/tools/videos/topic.ts'
import { advanceVideo } from '#shared/tools/videos/work/advance.ts'
import { jobWith } from '../common/job.ts'

/** Runs the next step of a video: orders it, gets its status, or copies it. */
export const job = jobWith<typeof wire>()({
  topic: videos,
  handle: (ctx, message) => advanceVideo(ctx, message),
})

export function wire(config: ConfigOf<'videos'>) {
  return {
    services: {
      table: openTable(config),
      objectStore: s3Objects(config),
      provider: configuredVideos(config),
    },
  }
}
