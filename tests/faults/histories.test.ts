import { expect, it, onTestFinished } from 'vitest'
import { seed } from '../support/vitest/seed.ts'
import { act, deeds, makeSubject, type Subject } from './world/agents.ts'
import { expectAgreement } from './world/agreement.ts'
import { randomFrom } from './world/random.ts'
import { settle } from './world/settle.ts'
import { startWorld, type World } from './world/world.ts'

/** The number of agents in a world, each with a history of its own, and the number of worlds. */
const agents = 20
const worlds = 10
const longest = 6

/** The maximum number of simultaneous actions and messages. */
const concurrency = 4

/** Carries out all actions on all agents, in any order, while messages arrive and any process may die. */
async function live(world: World, subjects: readonly Subject[]): Promise<void> {
  const { random } = world
  const open = subjects.map((subject) => ({ subject, left: 1 + random.below(longest) }))
  while (open.length > 0) {
    const chance = random.below(1000)
    if (chance < 900) {
      await burst(world, open)
    } else if (chance < 960) {
      await world.pass(1 + random.below(60))
    } else if (chance < 992) {
      await world.untilQuiet()
    } else {
      // All processes die at the same time, and the host comes back later.
      await world.host.kill()
      for (let n = random.below(20); n > 0; n--) await world.deliver()
      await world.host.start()
    }
  }
}

/** Runs some actions at the same time: actions on different agents, and messages for any agent. */
async function burst(world: World, open: { subject: Subject; left: number }[]): Promise<void> {
  const { random } = world
  const happening: Promise<unknown>[] = []
  const busy = new Set<Subject>()
  for (let n = 1 + random.below(concurrency); n > 0 && open.length > 0; n--) {
    const one = random.pick(open)
    if (random.percent(70) || busy.has(one.subject)) {
      happening.push(world.deliver())
      continue
    }
    busy.add(one.subject)
    happening.push(act(world, one.subject, one.left === longest ? 'start' : random.pick(deeds)))
    if (--one.left === 0) open.splice(open.indexOf(one), 1)
  }
  await Promise.all(happening)
}

it.each(Array.from({ length: worlds }, (_, n) => seed + n))(
  `${agents} agents, started, stopped, changed and killed at random, reach their desired state (seed %i)`,
  async (worldSeed) => {
    const world = await startWorld(randomFrom(worldSeed))
    onTestFinished(() => world[Symbol.asyncDispose]())
    const makeOne = (_: unknown, n: number) =>
      makeSubject(world, n % 2 === 0 ? { sleepAfterMinutes: 3 } : {})
    const subjects = await Promise.all(Array.from({ length: agents }, makeOne))
    expect(new Set(subjects.map(({ id }) => id)).size).toBe(agents)
    await live(world, subjects)
    await settle(world, subjects)
    await expectAgreement(world, subjects)
  },
  // Hundreds of processes run one after the other. No step waits for a fixed time.
  300_000,
)
