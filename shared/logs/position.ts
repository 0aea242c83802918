import { equalInConstantTime, hmacSha256, toHex } from '../platform/crypto.ts'

/** A place in what an agent printed, between two lines of one of its tasks. */
export interface Position {
  taskId: string
  /** Where the page begins that the last line was on; undefined for the log's beginning. */
  from: string | undefined
  /** How many lines of that page were seen. */
  seen: number
  /** The task's end was told as well. */
  ended: boolean
}

/** Signature, task, lines seen, `e` once its end was told, and the page. */
const format = /^([0-9a-f]{32})\.([0-9a-zA-Z-]{1,64})\.(\d{1,6})(e?)\.(\S{0,200})$/

/** Writes the positions within one task as ids of an event stream. */
export type PositionWriter = (position: Omit<Position, 'taskId'>) => string

/**
 * Ids are signed for the agent that they belong to: a task's id alone would open the log of anybody's task.
 * @param key a secret that only the platform has
 */
async function signatureOf(key: string, agentId: string, taskId: string): Promise<string> {
  return toHex(await hmacSha256(key, `logs:${agentId}:${taskId}`)).slice(0, 32)
}

export async function positionWriter(
  key: string,
  agentId: string,
  taskId: string,
): Promise<PositionWriter> {
  const signature = await signatureOf(key, agentId, taskId)
  return ({ from = '', seen, ended }) => `${signature}.${taskId}.${seen}${ended ? 'e' : ''}.${from}`
}

/** The position that an id names; undefined where it is none of this agent's. */
export async function readPosition(
  key: string,
  agentId: string,
  id: string,
): Promise<Position | undefined> {
  const [, signature, taskId, seen, ended, from] = format.exec(id) ?? []
  if (signature === undefined || taskId === undefined) return undefined
  const expected = await signatureOf(key, agentId, taskId)
  if (!(await equalInConstantTime(signature, expected))) return undefined
  return { taskId, from: from || undefined, seen: Number(seen), ended: ended === 'e' }
}
