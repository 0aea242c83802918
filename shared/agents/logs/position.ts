import { equalInConstantTime, hmacSha256, toHex } from '#shared/platform/crypto.ts'

/** A position in an agent's output, between two lines of one of its tasks. */
export interface Position {
  taskId: string
  /** The agent's generation that the task belongs to. */
  generation: number
  /** The start of the page with the last line; undefined for the log's start. */
  from: string | undefined
  /** The number of sent lines of that page. */
  seen: number
  /** True if the task's end was sent. */
  ended: boolean
}

/**
 * The signature, the generation and the task, the number of sent lines, `e` if the task's end was sent, and the page.
 */
const format = /^([0-9a-f]{32})\.(\d{1,10})-([0-9a-zA-Z-]{1,64})\.(\d{1,6})(e?)\.(\S{0,200})$/

/** The task of a position. */
export type PositionTask = Pick<Position, 'taskId' | 'generation'>

/** Formats positions within one task as event ids. */
export type PositionWriter = (position: Omit<Position, keyof PositionTask>) => string

/**
 * Returns the signature of a position's id. Ids are signed per agent, because a task's id alone would give access to
 * any task's log.
 * @param key a secret of the platform
 */
async function signatureOf(
  key: string,
  agentId: string,
  { generation, taskId }: PositionTask,
): Promise<string> {
  return toHex(await hmacSha256(key, `logs:${agentId}:${generation}:${taskId}`)).slice(0, 32)
}

/** Returns a function that writes signed positions in a task's log as event ids. */
export async function positionWriter(
  key: string,
  agentId: string,
  task: PositionTask,
): Promise<PositionWriter> {
  const beginning = `${await signatureOf(key, agentId, task)}.${task.generation}-${task.taskId}`
  return ({ from = '', seen, ended }) => `${beginning}.${seen}${ended ? 'e' : ''}.${from}`
}

/** Parses the position in an id, or returns undefined if it does not belong to this agent. */
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
