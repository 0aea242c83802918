import { notFound } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { fileOf, videoRows } from './rows.ts'
import type { JobView } from './schema.ts'
import { videoStatusOf } from './state/move.ts'

/** The lifetime of a link to a video: contract.md 10. */
const linkSeconds = 3600

/**
 * Returns a user's job, with a new link if its video is ready.
 * @throws PlatformError 404
 */
export async function findJob(
  ctx: Pick<UserContext, 'owner' | 'table'> & Can<'links'>,
  { jobId }: { jobId: string },
): Promise<JobView> {
  const item = await userStore(ctx.table, ctx.owner).get(videoRows.sk({ jobId }))
  if (item === undefined) throw notFound('Job')
  const { id, state, createdAt, updatedAt } = videoRows.parse(item)
  const link = { seconds: linkSeconds, fileName: `${id}.mp4`, contentType: 'video/mp4' }
  return {
    id,
    type: 'video',
    status: videoStatusOf(state),
    url: state.step === 'completed' ? await ctx.links.to(fileOf(id), link) : null,
    error: state.step === 'failed' ? state.error : null,
    createdAt,
    updatedAt,
  }
}
