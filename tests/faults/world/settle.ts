import { setTimeout as wait } from 'node:timers/promises'
import { type Agent, liveTasks } from '#shared/agents/record/agent.ts'
import { rowOf, type Subject } from './agents.ts'
import type { World } from './world.ts'

/** After this number of watchdog rounds, half an hour, every agent must be in its expected state. */
const maxRounds = 30

/** Lets the world settle: no more faults, and time passes until every agent is in its expected state. */
export async function settle(world: World, subjects: readonly Subject[]): Promise<void> {
  await world.calm()
  // The next check of an agent finds what a lost event has hidden.
  await world.untilQuiet()
  for (let n = 0; n < 3; n++) {
    await world.pass(60)
    await world.untilQuiet()
  }
  for (let round = 0; round < maxRounds; round++) {
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

/** Returns the time of the next message or of the watchdog's next round, if that is earlier. */
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

/** Checks of healthy agents and late sweeps change nothing. */
function isPatient(queue: string, body: unknown): boolean {
  return queue === 'notices' || queue === 'checks' || (body as { kind?: string }).kind === 'sweep'
}

function isAtRest(row: Agent | undefined): boolean {
  if (row === undefined) return true
  if (row.deleting) return false
  if (row.desired === 'stopped') return liveTasks(row).length === 0 && row.status !== 'running'
  return row.status === 'running' && row.watchdog.state === 'running'
}
