import { equalInConstantTime, hmacSha256, toHex } from '../platform/crypto.ts'

/** A place in what an agent printed, between two lines of one of its tasks. */
export interface Position {
  taskId: string
  /** The start of the agent that the task belongs to. */
  generation: number
  /** Where the page begins that the last line was on; undefined for the log's beginning. */
  from: string | undefined
  /** How many lines of that page were seen. */
  seen: number
  /** The task's end was told as well. */
  ended: boolean
}

/** Signature, generation and task, lines seen, `e` once its end was told, and the page. */
const format = /^([0-9a-f]{32})\.(\d{1,10})-([0-9a-zA-Z-]{1,64})\.(\d{1,6})(e?)\.(\S{0,200})$/

/** The task that a position is in. */
export type PositionTask = Pick<Position, 'taskId' | 'generation'>

/** Writes the positions within one task as ids of an event stream. */
export type PositionWriter = (position: Omit<Position, keyof PositionTask>) => string

/**
 * Ids are signed for the agent that they belong to: a task's id alone would open the log of anybody's task.
 * @param key a secret that only the platform has
 */
async function signatureOf(
  key: string,
  agentId: string,
  { generation, taskId }: PositionTask,
): Promise<string> {
  return toHex(await hmacSha256(key, `logs:${agentId}:${generation}:${taskId}`)).slice(0, 32)
}

export async function positionWriter(
  key: string,
  agentId: string,
  task: PositionTask,
): Promise<PositionWriter> {
  const beginning = `${await signatureOf(key, agentId, task)}.${task.generation}-${task.taskId}`
  return ({ from = '', seen, ended }) => `${beginning}.${seen}${ended ? 'e' : ''}.${from}`
}

/** The position that an id names; undefined where it is none of this agent's. */
export async function readPosition(
  key: string,
  agentId: string,
  id: string,
): Promise<Position | undefined> {
  const [, signature, generation, taskId, seen, ended, from] = format.exec(id) ?? []
  if (signature === undefined || taskId === undefined) return undefined
  const task = { generation: Number(generation), taskId }
  const expected = await signatureOf(key, agentId, task)
  if (!(await equalInConstantTime(signature, expected))) return undefined
  return { ...task, from: from || undefined, seen: Number(seen), ended: ended === 'e' }
}
