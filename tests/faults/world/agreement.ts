import { expect } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { agentProcesses } from '#tests/support/stack/processes.ts'
import { rowOf, type Subject } from './agents.ts'
import { witnessesOf } from './witnesses.ts'
import type { World } from './world.ts'

/**
 * Asserts that desired and observed state agree: one process for each agent that runs, no process for any other agent,
 * and no other processes.
 */
export async function expectAgreement(world: World, subjects: readonly Subject[]): Promise<void> {
  const processes = agentProcesses(world.dir)
  const tasks = await world.host.tasks()
  let running = 0
  for (const subject of subjects) {
    const row = await rowOf(world, subject)
    const own = processes.filter(({ agentId }) => agentId === subject.id)
    const about = { story: subject.story.join(' '), last: subject.last }
    const shown = { status: row?.status, processes: own.map(({ generation }) => generation) }
    const wanted =
      row?.status === 'running'
        ? { status: 'running', processes: [row.generation] }
        : { status: row?.status, processes: [] }
    if (JSON.stringify(shown) !== JSON.stringify(wanted))
      process.stdout.write(`${await witnessesOf(world, subject, row)}\n`)
    expect({ ...about, ...shown }).toEqual({ ...about, ...wanted })
    if (row?.status === 'running') {
      running++
      expect(own[0]?.taskArn).toBe(row.taskArn)
    } else expect(row?.aiKeyHash).toBeUndefined()
    expectPromiseKept(subject, row)
  }
  expect(processes).toHaveLength(running)
  expect(tasks).toHaveLength(running)
}
/** Asserts that the confirmed results of actions still hold. */
function expectPromiseKept({ last, story, deletion }: Subject, row: Agent | undefined): void {
  const about = { story: story.join(' '), last }
  if (deletion === 'answered') expect({ ...about, row }).toEqual({ ...about, row: undefined })
  if (deletion !== undefined) return
  expect({ ...about, there: row !== undefined }).toEqual({ ...about, there: true })
  if (!last.answered || row === undefined) return
  if (last.deed === 'stop')
    expect({ ...about, status: row.status }).toEqual({ ...about, status: 'stopped' })
  // It may have crashed too often since, or may sleep; but it was not stopped.
  const starts: Subject['last']['deed'][] = ['start', 'restart', 'repair', 'update']
  if (starts.includes(last.deed) && row.status === 'stopped')
    expect({ ...about, asleep: row.asleep }).toEqual({ ...about, asleep: true })
}
