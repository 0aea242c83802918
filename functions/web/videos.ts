import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { type PlanCaps, planCapsOf } from '#shared/money/plans/spend-cap.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { s3Links } from '#shared/platform/objects/links.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { requireVideos, type VideoAddress } from '#shared/tools/videos/configured.ts'
import { findJob } from '#shared/tools/videos/find.ts'
import { orderVideo } from '#shared/tools/videos/order.ts'
import { jobParams, jobView, newVideo, videoOrdered } from '#shared/tools/videos/schema.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> &
  Sends<'videos'> &
  Can<'links'> & { config: VideoAddress & { VIDEO_MODEL: string }; planCaps: PlanCaps }

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'videos.generate',
    method: 'POST',
    path: '/api/generate-video',
    summary: 'Create a video',
    description: 'Returns a job. Get the job for its status.',
    tag: 'videos',
    guard: 'session',
    scope: 'money',
    beforeFields: ({ config }) => void requireVideos(config),
    body: newVideo,
    status: 202,
    response: videoOrdered,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'too-many-requests',
      'unavailable',
    ],
    codes: [
      'SUBSCRIPTION_REQUIRED',
      'MODEL_RESTRICTED',
      'MODEL_UNPRICED',
      'SPEND_CAP_REACHED',
      'VIDEO_LIMIT_REACHED',
    ],
    idempotent: true,
    notAudited: 'changes no account, access or money; each order is stored',
    handle: (context, { body }) => orderVideo(context, body),
  }),

  route({
    name: 'jobs.get',
    method: 'GET',
    path: '/api/jobs/:id',
    summary: 'Get a job',
    tag: 'videos',
    guard: 'session',
    params: jobParams,
    response: jobView,
    errors: ['unauthorized', 'not-found'],
    handle: (context, { params }) => findJob(context, { jobId: params.id }),
  }),
]

export function wire(config: ConfigOf<'web-videos'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const links = s3Links(config)
  const planCaps = planCapsOf(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    planCaps,
    links,
  }))
}
