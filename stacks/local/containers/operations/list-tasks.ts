import * as z from 'zod'
import { arn } from '../engine.ts'
import { cluster, requireCluster } from '../wire/cluster.ts'
import { Fault } from '../wire/fault.ts'
import { operation } from '../wire/operation.ts'

const schema = z.object({
  cluster,
  family: z.string().optional(),
  startedBy: z.string().optional(),
  desiredStatus: z.enum(['RUNNING', 'PENDING', 'STOPPED']).default('RUNNING'),
  maxResults: z.int().min(1).max(100).default(100),
  nextToken: z.string().optional(),
})

/** Lists tasks, oldest first, by desired status (default RUNNING), family and `startedBy`. */
export const listTasks = operation(schema, (engine, input) => {
  requireCluster(engine, input.cluster)
  const family = input.family ?? null
  const startedBy = input.startedBy ?? null
  const rows = engine.store.all(
    `
    SELECT seq, id FROM task
    WHERE seq > ? AND dropped = 0 AND desired_status = ?
      AND (? IS NULL OR family = ?)
      AND (? IS NULL OR started_by = ?)
    ORDER BY seq LIMIT ?`,
    toSeq(input.nextToken),
    input.desiredStatus,
    family,
    family,
    startedBy,
    startedBy,
    input.maxResults + 1,
  )
  const page = rows.slice(0, input.maxResults)
  const last = rows.length > page.length ? page.at(-1) : undefined
  return {
    taskArns: page.map((row) => arn(engine, `task/${engine.cluster}/${String(row['id'])}`)),
    ...(last && { nextToken: Buffer.from(String(last['seq'])).toString('base64url') }),
  }
})

/** Returns the sequence number in a token; without a token, the beginning. */
function toSeq(nextToken: string | undefined): number {
  if (nextToken === undefined) return 0
  const seq = Buffer.from(nextToken, 'base64url').toString()
  if (!/^\d{1,15}$/.test(seq)) throw new Fault('InvalidParameterException', 'Invalid token.')
  return Number(seq)
}
