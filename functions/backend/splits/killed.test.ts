import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { recipients, type SplitWorld, startSplits } from '#tests/support/network/splits.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'

let world: SplitWorld

beforeAll(async () => {
  world = await startSplits()
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/**
 * Services of a process that is killed at one of its external calls, before or after its effect. The signer counts as
 * external.
 */
function doomed(seed: number) {
  const random = randomFrom(seed)
  const reach = lifeOf(random, true)
  const within = lifeOf(random, random.percent(50))
  const signer = testSigner(within(world.table))({ requestId: 'req_1', askedBy: 'public' })
  return { table: reach(world.table), queues: reach(world.queues), signer: reach(signer) }
}

const seeds = Array.from({ length: 12 }, (_, seed) => seed + 1)

it.each(seeds)('a split whose processes are killed pays each recipient once (%i)', async (seed) => {
  const random = randomFrom(seed)
  const payer = await world.newPayer()
  const to = recipients(3)
  const body = world.order(payer, { totalAmount: '3', recipients: to })
  const headers = { 'idempotency-key': randomUUID() }
  const ask = (look?: ReturnType<typeof doomed>) =>
    world.call('POST', '/api/underground/splits', { body, headers, ...(look && { look }) })
  const first = await ask(doomed(seed))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
  const { body: made } = first.status === 200 ? first : await ask()
  vi.useRealTimers()
  const splitId = Number(made.splitId)
  let lives = 0
  for (let round = 0; round < 40; round++) {
    const { status } = await world.split(splitId)
    if (status === 'completed') break
    // The message of a killed process is delivered again; if it is lost, the tick sends another.
    const dies = lives < 12
    const killed = await world.next(dies ? doomed(seed * 100 + lives++) : {}).then(
      (found) => {
        if (!found) world.pass(60)
        return false
      },
      (error: unknown) => isKilled(error),
    )
    if (killed && random.percent(50)) world.sent.pop()
    await world.tick()
    await world.anvil.request('anvil_mine', '0x1')
  }
  expect(await world.split(splitId)).toMatchObject({ status: 'completed' })
  for (const { address } of to) expect(await world.balance(address)).toBe(1_000_000n)
  expect(await world.count(payer.address)).toBe(3)
})

function isKilled(error: unknown): true {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof Killed) return true
  throw error
}
