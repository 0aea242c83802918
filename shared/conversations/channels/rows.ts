import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { kinds } from './adapters/kinds.ts'

const values = z.record(z.string(), z.string())

/** A channel of an agent, with its encrypted secrets. */
export const channelRows = entity({
  name: 'channel',
  id: 'chn',
  pk: 'user#{userId}',
  sk: 'channel#{agentId}#{channelId}',
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      kind: z.enum(kinds),
      settings: values,
      /** The secrets as JSON, sealed for this row. */
      sealed: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
      revision: z.number(),
    }),
})

/** The owner and the agent of a channel, which its service calls by the channel’s id. */
export const channelLocatorRows = entity({
  name: 'channel locator',
  pk: 'channel#{channelId}',
  sk: 'channel',
  schema: () => z.object({ userId: z.string(), agentId: z.string() }),
})

/** The number of channels of an agent. */
export const channelCountRows = entity({
  name: 'channel count',
  pk: 'user#{userId}',
  sk: 'channel-count#{agentId}',
  schema: () => z.object({ count: z.number() }),
})
