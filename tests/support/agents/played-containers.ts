import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { nextGeneration } from '#shared/agents/fleet/states/generation.ts'
import { healthy } from '#shared/agents/fleet/states/task-state.ts'
import { applyTask } from '#shared/agents/fleet/tasks/apply-event.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { pastWrite } from '#shared/agents/record/past-tasks.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { LogFile } from '#stacks/local/containers/logs/write.ts'
import type { Fleet } from './fleet.ts'

/** One container: its output and its exit code. */
export interface Played {
  lines: readonly string[]
  code: number
}

/**
 * Plays an agent's next container without a process: writes the rows that a start and its events write, and its output
 * into the engine's log.
 * @returns the running agent, and a function that ends the container
 */
export async function playContainer(fleet: Fleet, before: Agent, { lines, code }: Played) {
  const { services, table, dir } = fleet
  const started = await stored(changeAgent({ table }, { agent: before, decide: nextGeneration }))
  const taskId = randomBytes(16).toString('hex')
  const arn = arnOf(taskId)
  await print(dir, taskId, lines)
  const agent = await stored(
    changeAgent(
      { table },
      {
        agent: started,
        decide: (current) =>
          healthy({
            ...current,
            previousTaskArn: undefined,
            taskArn: arn,
            taskStatus: 'RUNNING',
            taskVersion: 1,
          }),
      },
    ),
  )
  return {
    agent,
    end: async () => {
      const at = new Date().toISOString()
      const ended = await applyTask(services, {
        arn,
        startedBy: agent.id,
        generation: agent.generation,
        status: 'STOPPED',
        health: 'UNKNOWN',
        version: 2,
        address: undefined,
        startedAt: at,
        stop: { code: 'EssentialContainerExited', exitCode: code, text: '', at },
      })
      return stored(ended.agent)
    },
  }
}

/** Plays containers that have started and ended, with the rows that they leave behind. */
export async function playPast(
  { table, dir }: Fleet,
  before: Agent,
  past: readonly Played[],
): Promise<Agent> {
  const now = Date.now()
  const at = new Date(now).toISOString()
  let agent = before
  const rows: Write[] = []
  for (const { lines, code } of past) {
    const taskId = randomBytes(16).toString('hex')
    await print(dir, taskId, lines)
    const ended: Agent = {
      ...nextGeneration(agent),
      status: 'error',
      previousTaskArn: undefined,
      taskArn: arnOf(taskId),
      taskStatus: 'STOPPED',
      taskVersion: 2,
      stopReason: { code: 'EssentialContainerExited', exitCode: code, text: '', at },
    }
    const row = pastWrite(agent, ended, now)
    if (row !== undefined) rows.push(row)
    agent = ended
  }
  if (rows.length === 0) return before
  await table.transact(rows)
  return stored(changeAgent({ table }, { agent: before, decide: () => agent }))
}

function arnOf(taskId: string): string {
  return `arn:aws:ecs:us-east-1:000000000000:task/fleet/${taskId}`
}

async function print(dir: string, taskId: string, lines: readonly string[]): Promise<void> {
  const log = new LogFile(dir, taskId, Date.now)
  const out = new PassThrough()
  log.take(out)
  out.end(lines.map((line) => `${line}\n`).join(''))
  await finished(out)
  log.close()
}

async function stored(change: Promise<Agent | undefined> | Agent | undefined): Promise<Agent> {
  const agent = await change
  if (agent === undefined) throw new Error('the agent is gone')
  return agent
}
