import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { call } from '../support/http/client.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { startOwnStack } from '../support/stack/stack-process.ts'
import { hangUp, json, startVideoProvider, videoOf } from '../support/tools/video-provider.ts'
import { seed } from '../support/vitest/seed.ts'
import { randomFrom } from './world/random.ts'

/** A large run: VIDEOS=100 VIDEO_KILLS=25 (docs/use/video.md). */
const videos = Number(process.env.VIDEOS ?? 6)
const kills = Number(process.env.VIDEO_KILLS ?? 2)

/** A user's limit of orders in progress. */
const perUser = 5

/** The prompt of an order that the provider handles without a fault. */
const quiet = 'a quiet video'

interface Order {
  prompt: string
  session: Record<string, string>
  jobId: string
}

it(`${videos} videos are ordered once at most while everything is killed ${kills} times`, async () => {
  const random = randomFrom(seed)
  const provider = await startVideoProvider()
  onTestFinished(() => provider.close())
  const stack = await startOwnStack({
    RATE_LIMITS: 'off',
    VIDEO_API_URL: provider.url,
    VIDEO_API_KEY: 'sk-of-the-tests-0123456789',
  })
  onTestFailed(
    () => void process.stdout.write(`${stack.now().output().slice(-20_000)}\nseed ${seed}\n`),
  )
  onTestFinished(() => stack[Symbol.asyncDispose]())

  let killing: Promise<void> | undefined
  let killed = 0
  let nextKill = 3

  async function killAndStart(): Promise<void> {
    await stack.now().kill()
    await stack.startAgain()
    killing = undefined
  }

  /** The platform's calls of the provider trigger the kills, so that they happen while it works. */
  function chance(): void {
    if (killed >= kills || killing !== undefined || provider.asked() < nextKill) return
    killed++
    nextKill = provider.asked() + 2 + random.below(10)
    killing = killAndStart()
  }

  provider.behave({
    beforeTaking: ({ prompt }) => {
      if (prompt === quiet) return undefined
      if (random.percent(10)) return json(429, { error: { message: 'Slow down' } })
      return random.percent(5) ? hangUp : undefined
    },
    afterTaking: ({ id, body: { prompt } }) => {
      chance()
      if (prompt === quiet) return undefined
      // Slow enough that a kill happens during the wait for the response.
      if (random.percent(30))
        return async (response) => {
          await wait(random.below(1000))
          return json(200, { id, object: 'video', status: 'queued' })(response)
        }
      return random.percent(10) ? hangUp : undefined
    },
    look: (looks) => {
      chance()
      return json(200, { id: 'v', status: looks < 3 ? 'in_progress' : 'completed' })
    },
  })

  const users = await Promise.all(
    Array.from({ length: Math.ceil(videos / perUser) }, () => stack.newSubscriber('solo')),
  )
  const orderOf = (prompt: string, n = 0) => ({
    prompt,
    session: users[Math.floor(n / perUser)]?.session ?? {},
    jobId: '',
  })
  const orders = Array.from({ length: videos }, (_, n) => orderOf(`video number ${n}`, n))

  /** Creates an order, and retries with the same Idempotency-Key until it gets a response. */
  async function ask(order: Order): Promise<void> {
    const headers = { ...order.session, 'idempotency-key': order.prompt }
    while (order.jobId === '') {
      await killing
      const body = { prompt: order.prompt }
      const answer = await call(`${stack.now().web}/api/generate-video`, { body, headers }).catch(
        () => undefined,
      )
      if (answer?.status === 202) order.jobId = String(answer.body.jobId)
      else expect([undefined, 409, 503]).toContain(answer?.status)
    }
  }

  async function show({ jobId, session }: Order) {
    for (;;) {
      await killing
      const answer = await call(`${stack.now().web}/api/jobs/${jobId}`, { headers: session }).catch(
        () => undefined,
      )
      if (answer?.status === 200) return answer.body
      expect([undefined, 503]).toContain(answer?.status)
    }
  }

  /** Downloads the platform's copy, and retries if a kill interrupts it. */
  async function copyOf(order: Order): Promise<Buffer> {
    for (;;) {
      const { url } = await show(order)
      const copy = await fetch(String(url))
        .then((answer) => answer.arrayBuffer())
        .catch(() => undefined)
      if (copy !== undefined) return Buffer.from(copy)
    }
  }

  /**
   * Waits until an order has ended.
   * @returns true if its video was made
   */
  async function end(order: Order): Promise<boolean> {
    await expect
      .poll(async () => String((await show(order)).status), { timeout: 900_000, interval: 500 })
      .toMatch(/completed|failed/)
    const { status, error } = await show(order)
    const received = provider.takenOf(order.prompt).length
    expect({ ...order, taken: received <= 1 }).toEqual({ ...order, taken: true })
    if (status === 'failed') {
      expect(error).toMatch(/is unknown|Slow down/)
      return false
    }
    expect(received).toBe(1)
    expect((await copyOf(order)).equals(videoOf(order.prompt))).toBe(true)
    return true
  }

  await Promise.all(orders.map(ask))
  let completed = 0
  for (const order of orders) if (await end(order)) completed++
  // If many orders fail by chance, their calls of the provider do not reach the number of kills.
  for (let n = 0; killed < kills; n++) {
    const order = orderOf(`one more video, number ${n}`)
    await ask(order)
    if (await end(order)) completed++
  }
  await killing
  expect(killed).toBe(kills)
  // All orders may have failed by chance. This one must succeed.
  const last = orderOf(quiet)
  await ask(last)
  expect({ ...last, made: await end(last) }).toEqual({ ...last, made: true })
  completed++
  const engines = enginesOf(() => stack.now().endpoints)
  await engines.untilEmpty('videos')
  expect(await engines.deadLetters()).toEqual({})
  process.stdout.write(
    `${videos} videos and more, ${provider.taken.length} orders taken, ${completed} completed, ${killed} kills\n`,
  )
}, 3_600_000)
