import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { messageTime, type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { subscribe } from '#tests/support/channels/subscribe.ts'
import { useChannels } from '#tests/support/channels/world.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'

/** Longer than every lease. */
const longMs = 400_000

let slack: PlayedSlack
beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

const on = useChannels(() => ({ SLACK_API_URL: slack.url }))
beforeEach(async () => {
  await subscribe(on.table, on.owner.id)
  const { token: botToken, signingSecret } = slack
  await on.create({ kind: 'slack', botToken, signingSecret })
  await on.introduce('U0ADA', message('Hi'))
})

function message(text: string, chat = 'D0ADA', files: object[] = []) {
  const place = { channel: chat, channel_type: 'im' }
  const shared = files.length === 0 ? {} : { subtype: 'file_share', files }
  return slack.signed(
    slack.envelope({
      type: 'message',
      ...place,
      user: 'U0ADA',
      text,
      ts: messageTime(),
      ...shared,
    }),
  )
}

/** Restarts processes until no work is left: the leases and heartbeats of killed processes expire. */
async function workUntilIdle(): Promise<void> {
  const { jobs, table } = on
  const pk = `user#${on.owner.id}`
  const beginsWith = turnRows.prefix()
  do {
    await jobs.deliver()
    jobs.state.now += longMs
    for (const { sk, state } of await allItems((from) => table.query({ pk, beginsWith, ...from })))
      if (state === 'active') await table.update({ pk, sk: String(sk) }, { set: { aliveUntil: 0 } })
    await jobs.tick()
  } while (jobs.waiting.length > 0)
}

it(
  'a file is stored once for its turn, whatever call its process is killed at',
  { timeout: 180_000 },
  async () => {
    let n = 0
    for (const isLastCarriedOut of [false, true])
      for (let isAlive = false, calls = isLastCarriedOut ? 3 : 0; !isAlive; calls += 6, n++) {
        const bytes = Buffer.from(`content ${n}`)
        const file = slack.files.share({ name: `file-${n}.txt`, mimetype: 'text/plain', bytes })
        await on.receive(message(`event-${n}`, `D0CHAT${n}`, [file]))
        isAlive = await on.jobs
          .deliver(killedProcess({ calls, isLastCarriedOut }))
          .then(() => true)
          .catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error
            return false
          })
      }
    await workUntilIdle()

    expect(n).toBeGreaterThan(8)
    const list = await on.files('GET', '?path=inbox/slack&limit=1000')
    const { entries } = (await list.json()) as { entries: { name: string; path: string }[] }
    const asked = on.asked().map(String)
    expect(asked.length).toBeGreaterThan(n / 2)
    expect(entries.map(({ name }) => name.slice(11)).toSorted()).toEqual(
      Array.from({ length: n }, (_, i) => `file-${i}.txt`).toSorted(),
    )
    for (const text of asked) {
      const number = /event-(\d+)/.exec(text)?.[1]
      const path = /- (inbox\/slack\/\S+) \(/.exec(text)?.[1]
      expect(path).toContain(`-file-${number}.txt`)
      const content = await on.files('GET', `/content?path=${path}`)
      expect(await content.text()).toBe(`content ${number}`)
    }
  },
)
