import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Agent, liveTasks } from '../../../shared/agents/agent.ts'
import { readAgent } from '../../../shared/agents/find.ts'
import { agentProcesses } from '../../support/processes.ts'
import type { Subject } from './agents.ts'
import type { World } from './world.ts'

/** Rounds of the watchdog after which everything has to be as it should be: half an hour. */
const mostRounds = 30

/** Lets the world come to rest: nothing dies any more, and time passes until every agent is as it should be. */
export async function settle(world: World, subjects: readonly Subject[]): Promise<void> {
  await world.calm()
  // What a lost event has hidden shows at the next look at the agent.
  await world.untilQuiet()
  for (let n = 0; n < 3; n++) {
    await world.pass(60)
    await world.untilQuiet()
  }
  for (let round = 0; round < mostRounds; round++) {
    await world.untilQuiet()
    if (await atRest(world, subjects)) return
    await untilNextStep(world)
  }
  const rows = await Promise.all(subjects.map((subject) => rowOf(world, subject)))
  const restless = subjects.filter((_, i) => !isAtRest(rows[i]))
  throw new Error(
    `never came to rest: ${JSON.stringify(
      restless.map(({ id, story }) => ({ story, row: rows.find((row) => row?.id === id) })),
      undefined,
      1,
    )}`,
  )
}

/** The next message's time, or the watchdog's next round, whichever is first. */
async function untilNextStep(world: World): Promise<void> {
  const seconds = Math.max(0, (world.mail.nextDue() - Date.now()) / 1000)
  await world.pass(Math.min(60, Math.ceil(seconds)))
  await wait(0)
}

async function atRest(world: World, subjects: readonly Subject[]): Promise<boolean> {
  const urgent = world.mail.waiting.some(({ queue, body }) => !isPatient(queue, body))
  if (urgent) return false
  const rows = await Promise.all(subjects.map((subject) => rowOf(world, subject)))
  return rows.every(isAtRest)
}

/** A look at a healthy agent and a late sweep change nothing. */
function isPatient(queue: string, body: unknown): boolean {
  return queue === 'notices' || queue === 'checks' || (body as { kind?: string }).kind === 'sweep'
}

function isAtRest(row: Agent | undefined): boolean {
  if (row === undefined) return true
  if (row.deleting) return false
  if (row.desired === 'stopped') return liveTasks(row).length === 0 && row.status !== 'running'
  return row.status === 'running' && row.watchdog.state === 'running'
}

async function rowOf(world: World, { id, userId }: Subject): Promise<Agent | undefined> {
  return readAgent(world.table, { userId, agentId: id })
}

/** A process may end by itself after the last look at it: the platform finds that too, and has two more rests to do so. */
const mostRests = 3

/** Lets the world rest until wanted and observed agree. @throws where they do not, though nothing happens any more */
export async function comeToAgreement(world: World, subjects: readonly Subject[]): Promise<void> {
  for (let rest = 1; ; rest++) {
    await settle(world, subjects)
    try {
      return await expectAgreement(world, subjects)
    } catch (error) {
      if (rest === mostRests) throw error
    }
  }
}

/** Wanted and observed agree: one process for each agent that runs, none for any other, nothing else at all. */
export async function expectAgreement(world: World, subjects: readonly Subject[]): Promise<void> {
  const processes = agentProcesses(world.dir)
  const tasks = await world.host.tasks()
  let running = 0
  for (const subject of subjects) {
    const row = await rowOf(world, subject)
    const own = processes.filter(({ agentId }) => agentId === subject.id)
    const about = { story: subject.story.join(' '), last: subject.last }
    const shown = { status: row?.status, processes: own.map(({ generation }) => generation) }
    if (row?.status === 'running') {
      running++
      expect({ ...about, ...shown }).toEqual({
        ...about,
        status: 'running',
        processes: [row.generation],
      })
      expect(own[0]?.taskArn).toBe(row.taskArn)
    } else {
      expect({ ...about, ...shown }).toEqual({ ...about, status: row?.status, processes: [] })
      expect(row?.aiKeyHash).toBeUndefined()
    }
    expectPromiseKept(subject, row)
  }
  expect(processes).toHaveLength(running)
  expect(tasks).toHaveLength(running)
}

/** What its person was told has come about. */
function expectPromiseKept({ last, story, deletion }: Subject, row: Agent | undefined): void {
  const about = { story: story.join(' '), last }
  if (deletion === 'answered') expect({ ...about, row }).toEqual({ ...about, row: undefined })
  if (deletion !== undefined) return
  expect({ ...about, there: row !== undefined }).toEqual({ ...about, there: true })
  if (!last.answered || row === undefined) return
  if (last.deed === 'stop')
    expect({ ...about, status: row.status }).toEqual({ ...about, status: 'stopped' })
  // It may have crashed too often since, or have fallen asleep; but it was not stopped.
  const starts: Subject['last']['deed'][] = ['start', 'restart', 'repair', 'update']
  if (starts.includes(last.deed) && row.status === 'stopped')
    expect({ ...about, asleep: row.asleep }).toEqual({ ...about, asleep: true })
}
