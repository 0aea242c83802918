import { Bot, GrammyError, InputFile } from 'grammy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { flood } from './telegram-methods.ts'
import { startTelegram } from './telegram.ts'

let telegram: Awaited<ReturnType<typeof startTelegram>>

beforeAll(async () => {
  telegram = await startTelegram()
})
afterAll(() => telegram.close())

const clientOf = ({ token }: { token: string }) =>
  new Bot(token, { client: { apiRoot: telegram.url } })

it('the stand-in for Telegram serves its usual client: a poll, an answer, files and actions', async () => {
  const played = telegram.newBot('rhythm_bot')
  const client = clientOf(played)
  client.on('message:text', async (ctx) => {
    await ctx.replyWithChatAction('typing')
    await ctx.reply(`You said ${ctx.message.text}`)
    await ctx.replyWithDocument(new InputFile(Buffer.from('a,b'), 'a.csv'))
    await client.stop()
  })
  played.receive({ text: 'Hello' })
  await client.start()
  expect(client.botInfo.username).toBe('rhythm_bot')
  expect(played.typing).toEqual(['77'])
  expect(played.sent).toMatchObject([
    { chatId: '77', text: 'You said Hello' },
    { chatId: '77', file: { kind: 'document', name: 'a.csv', bytes: Buffer.from('a,b') } },
  ])
  const { file_id: id } = played.file(Buffer.from('content'))
  expect(await client.api.getFile(id)).toMatchObject({ file_size: 7 })
})

it('the stand-in for Telegram refuses what Telegram refuses', async () => {
  const played = telegram.newBot()
  const { api } = clientOf(played)
  const codeOf = async (call: Promise<unknown>) => {
    const error = await call.catch((failure: unknown) => failure)
    return error instanceof GrammyError ? error.error_code : error
  }
  expect(await codeOf(api.sendMessage(77, 'x'.repeat(4097)))).toBe(400)
  expect(await codeOf(api.sendMessage(77, ' '))).toBe(400)
  expect(await codeOf(api.setWebhook('http://agents.example.com'))).toBe(400)
  await api.setWebhook('https://agents.example.com/in', { secret_token: 'a-secret' })
  expect(await codeOf(api.getUpdates())).toBe(409)
  await api.deleteWebhook()
  expect(await api.getUpdates()).toEqual([])
  telegram.behave(() => flood(3))
  const error: unknown = await api.getMe().catch((failure: unknown) => failure)
  expect(error).toMatchObject({ error_code: 429, parameters: { retry_after: 3 } })
  telegram.behave(() => undefined)
  telegram.revoke(played)
  expect(await codeOf(api.getMe())).toBe(401)
})
