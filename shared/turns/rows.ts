import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

const turnKinds = ['turn', 'task', 'swarm'] as const

/** A turn with an agent from its question on, by what follows the prefix of the question’s id; kept a week. */
export const turnRows = entity({
  name: 'turn',
  pk: 'user#{userId}',
  sk: 'turn#{name}',
  schema: () =>
    z.object({
      /** Of the question. */
      id: z.string(),
      agentId: z.string(),
      kind: z.enum(turnKinds),
      /** The run that it is a part of, where it is one: of a task, or of a swarm with other members. */
      group: z.string().optional(),
      state: z.enum(['active', 'finished', 'failed', 'cancelled']),
      startedAt: z.string(),
      endedAt: z.string().optional(),
      /** Epoch milliseconds: one that is still active then has lost its process. */
      aliveUntil: z.number(),
      by: z.string().nullable(),
      /** The user's key that asked, and its name then; absent where none did. */
      key: z.object({ keyId: z.string(), keyName: z.string().nullable() }).optional(),
      /** How many pieces its answer came in, where they were kept. */
      pieces: z.number().optional(),
      /** Names the message that its answer was kept as. */
      answer: z.string().optional(),
      tokens: z.number().nullable().optional(),
      /** What the calls of models cost that named the turn, in millionths of a US dollar; absent before the first. */
      microUsd: z.number().optional(),
      /** How many of those calls have no known cost. */
      unpriced: z.number().optional(),
      /** What its caller was told where it failed. */
      error: z.looseObject({ error: z.string() }).optional(),
    }),
})

/** That a turn is to end, and why; its process looks for it. Kept a week. */
export const turnCancelRows = entity({
  name: 'cancellation of a turn',
  pk: 'user#{userId}',
  sk: 'turn-cancel#{name}',
  schema: () => z.object({ reason: z.string().nullable() }),
})

/** Pieces of a streamed answer, by the place of the first of them, in eight digits; kept a day. */
export const turnPieceRows = entity({
  name: 'pieces of an answer',
  pk: 'user#{userId}',
  sk: 'turn-pieces#{name}#{place}',
  schema: () =>
    z.object({
      /** Counted from 1. */
      first: z.number(),
      pieces: z.array(z.string()),
    }),
})

export type Turn = z.output<ReturnType<typeof turnRows.declared.schema>>
