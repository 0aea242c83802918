import { expect, it } from 'vitest'
import { channelNames, channels } from '#shared/manifest/channels.ts'
import { otherImage } from '#tests/support/agents/fleet.ts'
import { useWebConfigs } from '#tests/support/agents/web-configs.ts'

const on = useWebConfigs()

const tokens = { telegramToken: 'a-token', discordBotToken: 'a-token', whatsappToken: 'a-token' }

const fieldsOf = (body: Record<string, unknown>) =>
  (body.warnings as { field: string; message: string }[] | undefined)?.map(({ field }) => field)

it('every chat service with a token has a warning, or is served by the platform’s image', () => {
  expect(channelNames.map((name) => channels[name].token)).toEqual(Object.keys(tokens))
})

it('a token that the platform’s image does not use has a warning in each response', async () => {
  const agent = await on.stopped()
  const { body } = await on.put(agent, tokens, { settings: { deployed: true } })
  const unused = ['discordBotToken', 'whatsappToken']
  expect(fieldsOf(body)).toEqual(unused)
  expect(fieldsOf(await on.shown(agent))).toEqual(unused)
  const detail = await on.web.call('GET', `/api/agents/${agent.id}`, { user: agent.userId ?? '' })
  expect(fieldsOf(detail.body.agent as Record<string, unknown>)).toEqual(unused)
  expect(body.warnings).toContainEqual({
    field: 'whatsappToken',
    message: expect.stringMatching(
      /does not sign in to WhatsApp.*Remove it, or update.*WHATSAPP_TOKEN/,
    ),
  })
})

it('a token for a chat service that the platform serves has no warning', async () => {
  const agent = await on.stopped({ telegramToken: tokens.telegramToken })
  expect(await on.shown(agent)).not.toHaveProperty('warnings')
})

it('a program of one machine has warnings for the chat services that nothing serves', async () => {
  const agent = await on.stopped(tokens)
  const settings = { AGENT_CHANNELS: [], deployed: false }
  const path = `/api/agents/${agent.id}/config`
  const { body } = await on.web.call('GET', path, { user: agent.userId ?? '', settings })
  expect(fieldsOf(body)).toEqual(['discordBotToken', 'whatsappToken'])
  expect(body.warnings).toContainEqual({
    field: 'discordBotToken',
    message: expect.stringMatching(/Remove it\.$/),
  })
})

it('an agent with an image of the owner’s own has none', async () => {
  const agent = await on.stopped(tokens)
  const path = `/api/instance/${agent.id}/update`
  const user = agent.userId ?? ''
  const { status } = await on.web.call('POST', path, { user, body: { image: otherImage } })
  expect(status).toBe(200)
  const shown = async (deployed: boolean) =>
    (await on.web.call('GET', `/api/agents/${agent.id}/config`, { user, settings: { deployed } }))
      .body
  expect(await shown(true)).not.toHaveProperty('warnings')
  // On one machine every image is a name of the same program.
  expect(await shown(false)).toHaveProperty('warnings')
})
