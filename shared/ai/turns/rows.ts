import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { turnKey } from './key.ts'

const turnKinds = ['turn', 'task', 'swarm'] as const

/** A turn with an agent, stored for a week. Its name is its question’s id without the prefix. */
export const turnRows = entity({
  name: 'turn',
  pk: 'user#{userId}',
  sk: 'turn#{name}',
  schema: () =>
    z.object({
      /** The question's id. */
      id: z.string(),
      agentId: z.string(),
      /** The agent's generation that answers. */
      generation: z.number().optional(),
      kind: z.enum(turnKinds),
      /** The run that contains it, if any: of a task, or of a swarm with other members. */
      group: z.string().optional(),
      state: z.enum(['active', 'finished', 'failed', 'cancelled']),
      startedAt: z.string(),
      endedAt: z.string().optional(),
      /** Epoch milliseconds. If it is still active after this time, its process is lost. */
      aliveUntil: z.number(),
      by: z.string().nullable(),
      ...turnKey(),
      /** The number of parts of its answer, if they were stored. */
      pieces: z.number().optional(),
      /** The seed of the message with its answer. */
      answer: z.string().optional(),
      tokens: z.number().nullable().optional(),
      /** The cost of the model calls that named the turn, in millionths of a US dollar; absent before the first. */
      microUsd: z.number().optional(),
      /** The part of `microUsd` that the user paid by other means: drawn credits, or own provider keys. */
      paidMicroUsd: z.number().optional(),
      /**
       * The maximum amount that its calls can draw from the owner's credits, in millionths of a US dollar: the proceeds
       * of a sold answer. Absent without such a limit.
       */
      mostDrawnMicroUsd: z.number().optional(),
      /** The highest possible draws of calls in progress. Present with such a limit. */
      heldMicroUsd: z.number().optional(),
      /** The number of its model calls without a known cost. */
      unpriced: z.number().optional(),
      /** The error response, if the turn failed. */
      error: z.looseObject({ error: z.string() }).optional(),
    }),
})

/** A requested cancellation of a turn, with its reason. The turn's process checks for it. Stored for a week. */
export const turnCancelRows = entity({
  name: 'cancellation of a turn',
  pk: 'user#{userId}',
  sk: 'turn-cancel#{name}',
  schema: () => z.object({ reason: z.string().nullable() }),
})

/** Parts of a streamed answer, by the number of the first, in eight digits. Stored for a day. */
export const turnPieceRows = entity({
  name: 'pieces of an answer',
  pk: 'user#{userId}',
  sk: 'turn-pieces#{name}#{place}',
  schema: () =>
    z.object({
      /** From 1. */
      first: z.number(),
      pieces: z.array(z.string()),
    }),
})

export type Turn = z.output<ReturnType<typeof turnRows.declared.schema>>
