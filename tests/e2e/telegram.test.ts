import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { tableName } from '#stacks/local/engines.ts'
import { say, Upstream } from '../../agent/gateway/testing/upstream.ts'
import type { PlayedBot } from '../support/channels/telegram-state.ts'
import { startTelegram } from '../support/channels/telegram.ts'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { processesOf } from '../support/stack/processes.ts'
import { sleepOf } from '../support/stack/sleep.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const model = await Upstream.start()

let telegram: Awaited<ReturnType<typeof startTelegram>>
let bot: PlayedBot
let stack: OwnStack
let owner: TestUser
let agentId: string

const { fallAsleep } = sleepOf(
  () => stack.now(),
  () => {
    useLocalCredentials()
    return dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  },
)

/** Longer than the time between two ticks, which begin the polls. */
const tickMs = 120_000

const api = () => stack.platformOf(owner).agents

const texts = () => bot.sent.map(({ text }) => text)

/** The last message of each turn. Other requests ask for the model's list. */
const asked = () =>
  model.calls
    .filter(({ path }) => path?.endsWith('/chat/completions'))
    .map(({ body }) => body.messages.at(-1)?.content)

beforeAll(async () => {
  telegram = await startTelegram()
  bot = telegram.newBot('rhythm_bot')
  stack = await startOwnStack({
    AI_BASE_URL: model.baseUrl,
    AI_API_KEY: 'key-of-the-model',
    TELEGRAM_API_URL: telegram.url,
  })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
  await api().config.update(agentId, {
    config: { telegramToken: bot.token, sleepAfterMinutes: 5 },
  })
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  telegram?.close()
  await model[Symbol.asyncDispose]()
})

it(
  'a stranger’s message to a bot wakes a sleeping agent once its owner approved them, and is answered once',
  { timeout: 3 * tickMs },
  async () => {
    model.reply = (response) => say(response, 'The tide is low.')
    await eventually(async () =>
      expect(await api().channels.list(agentId)).toMatchObject([
        { kind: 'telegram', settings: { username: 'rhythm_bot' }, receiveUrl: null },
      ]),
    )
    await fallAsleep(owner, agentId)

    const ann = { id: 34, first_name: 'Ann', username: 'ann' }
    bot.receive({ from: ann, text: 'How is the tide?' })
    await eventually(() => expect(texts()).toHaveLength(1), tickMs)
    const code = /code: ([A-Z2-9]{8})\./.exec(String(texts()[0]))?.[1]
    expect(await api().senders.list(agentId, 'telegram')).toEqual([
      { id: '34', name: 'Ann (@ann)', state: 'pending', code },
    ])
    expect(processesOf(stack.dataDir, agentId)).toEqual([])
    expect(asked()).toEqual([])

    await api().senders.decide(agentId, 'telegram', String(code), { decision: 'approve' })
    bot.receive({ from: ann, text: 'And now?' })
    await eventually(() => expect(texts().slice(1)).toEqual(['The tide is low.']), tickMs)
    expect(asked()).toEqual(['And now?'])
    expect(bot.sent.every(({ chatId }) => chatId === '34')).toBe(true)
    expect(await stack.agentOf(owner, agentId)).toMatchObject({ status: 'running' })

    bot.receive({ from: ann, text: 'Thanks!' })
    await eventually(() => expect(texts().slice(1)).toHaveLength(2), tickMs)
    expect(model.lastCall.body.messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['And now?', 'The tide is low.', 'Thanks!']),
    )

    const document = bot.file(Buffer.from('high,low'), 'tides.csv')
    bot.receive({ from: ann, document: { ...document, file_name: 'tides.csv' } })
    await eventually(() => expect(texts().slice(1)).toHaveLength(3), tickMs)
    const said = String(model.lastCall.body.messages.at(-1)?.content)
    const path = /inbox\/telegram\/\S+-tides\.csv/.exec(said)?.[0] ?? said
    const onDisk = (await readdir(stack.dataDir, { recursive: true })).find((one) =>
      one.endsWith(`workspace/${path}`),
    )
    expect(await readFile(join(stack.dataDir, String(onDisk)), 'utf8')).toBe('high,low')
  },
)
