import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

/** Opens the channels of a new agent. */
async function openChannels(look: Parameters<typeof visit>[0] = {}) {
  const { page, context } = await visit(look)
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  await page.goto(`/agents/${id}/channels`)
  await page.getByText('No channels yet').waitFor()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const press = async (name: string) => {
    await button(name).focus()
    await page.keyboard.press('Enter')
  }
  const fits = async () => {
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  }
  return { page, context, id, button, field, press, fits }
}

test.each([
  { colours: 'light', width: 1280 },
  { colours: 'dark', width: 360 },
] as const)(
  'a webhook is created by the keyboard and shows its secret once ($colours, $width wide)',
  async (look) => {
    const { page, context, id, field, press, fits } = await openChannels(look)
    await press('New channel')
    await page.getByRole('radio', { name: 'Webhook' }).focus()
    await page.keyboard.press('Space')
    await press('Create Webhook channel')
    await page.getByRole('alert').getByText('Enter the field Prompt.').waitFor()
    await field('Prompt').fill('A ticket: {{body.title}}')
    await fits()
    await press('Create Webhook channel')
    const made = page.getByRole('region', { name: 'The new channel' })
    const secret = await made.getByRole('textbox', { name: 'Signing secret' }).inputValue()
    expect(secret).toMatch(/^whsec_/)
    const answer = await context.request.get(`/api/agents/${id}/channels`)
    const { channels } = (await answer.json()) as { channels: { receiveUrl: string }[] }
    expect(channels).toMatchObject([
      { kind: 'webhook', settings: { promptTemplate: 'A ticket: {{body.title}}' } },
    ])
    const address = made.getByRole('textbox', { name: 'Address for requests' })
    expect(await address.inputValue()).toBe(channels[0]?.receiveUrl)
    await fits()

    await page.reload()
    await press('Setup of A ticket: {{body.title}}')
    await page.getByRole('textbox', { name: 'Address for requests' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await fits()
  },
)

test('each kind says what to do at its service, and an error of the API keeps the input', async () => {
  const { page, field, press, fits } = await openChannels()
  await press('New channel')
  for (const [name, step, fields] of [
    ['Telegram', '@BotFather', ['Bot token']],
    ['Slack', 'Slack’s page for a new app', ['Bot User OAuth Token', 'Signing Secret']],
    ['WhatsApp', 'developers.facebook.com/apps', ['Access token', 'Phone number ID', 'App secret']],
    ['Email', 'nothing to set up', []],
  ] as const) {
    await page.getByRole('radio', { name, exact: true }).check({ force: true })
    await page.getByText(step).waitFor()
    for (const label of fields) await page.getByLabel(label, { exact: true }).waitFor()
    await fits()
  }
  await page.getByRole('radio', { name: 'Webhook' }).check({ force: true })
  await field('Prompt').fill('Hello')
  await field('Address for answers').fill('nowhere')
  await press('Create Webhook channel')
  await page
    .getByRole('alert')
    .getByText(/answerUrl/i)
    .waitFor()
  expect(await field('Prompt').inputValue()).toBe('Hello')
})

test('waiting senders are counted, approved and blocked', async () => {
  const { page, context, id, press, fits } = await openChannels()
  const ann = { id: '34', name: '<b>Ann</b>', state: 'pending', code: 'AB12CD34' }
  let senders = [ann, { ...ann, id: '35', name: 'Bob' }]
  const channel = { id: 'chn_1', kind: 'telegram', settings: { username: 'rhythm_bot' } }
  const createdAt = new Date().toISOString()
  await context.route(`**/api/agents/${id}/channels`, (route) => {
    const waiting = senders.filter(({ state }) => state === 'pending').length
    return route.fulfill({
      json: { channels: [{ ...channel, receiveUrl: null, waiting, createdAt }] },
    })
  })
  await context.route('**/channels/chn_1/senders', (route) => route.fulfill({ json: { senders } }))
  const decisions: unknown[] = []
  await context.route('**/channels/chn_1/senders/*', async (route) => {
    const { decision } = route.request().postDataJSON() as { decision: string }
    const decided = route.request().url().split('/').at(-1) ?? ''
    decisions.push([decided, decision])
    const state = decision === 'approve' ? 'approved' : 'blocked'
    senders = senders.map((each) => (each.id === decided ? { ...each, state } : each))
    const sender = senders.find((each) => each.id === decided)
    await route.fulfill({ json: { ...sender, applied: true } })
  })
  await page.reload()
  await page.getByText('2 senders waiting').waitFor()
  await press('Senders of @rhythm_bot')
  await page.getByText('<b>Ann</b>').first().waitFor()
  await fits()
  for (const [name, action] of [
    ['<b>Ann</b>', 'Approve'],
    ['Bob', 'Block'],
  ] as const) {
    const row = page.getByRole('listitem').filter({ hasText: name }).last()
    await row.getByRole('button', { name: action }).click()
    const dialog = page.getByRole('dialog', { name: `${action} ${name}?` })
    await dialog.getByRole('button', { name: action }).click()
  }
  await page.getByRole('status').getByText('Bob is blocked from now on.').waitFor()
  await expect.poll(() => page.getByText('waiting').count(), wait).toBe(0)
  expect(decisions).toEqual([
    ['34', 'approve'],
    ['35', 'block'],
  ])
})

test.each([
  { colours: 'light', width: 1280 },
  { colours: 'dark', width: 360 },
] as const)(
  'messages are listed with their state, and what to do ($colours, $width wide)',
  async (look) => {
    const { page, context, id, press, fits } = await openChannels(look)
    const { id: channelId } = (await (
      await context.request.post(`/api/agents/${id}/channels`, { data: { kind: 'email' } })
    ).json()) as { id: string }
    const delivery = { at: new Date().toISOString(), chat: 'ada@example.com', attempts: 1 }
    const deliveries = [
      { ...delivery, id: '3', text: '<b>Now</b>', state: 'waiting', reason: null },
      { ...delivery, id: '2', text: 'Perhaps', state: 'unknown', reason: 'It was interrupted' },
      { ...delivery, id: '1', text: 'Never', state: 'failed', reason: 'The mailbox is full' },
    ]
    await context.route(`**/channels/${channelId}/deliveries`, (route) =>
      route.fulfill({ json: { deliveries } }),
    )
    await page.reload()
    await press(`Deliveries of ${channelId}@agents.localhost`)
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    await rows.first().waitFor()
    const [waiting, unknown, failed] = await rows.allInnerTexts()
    expect(waiting).toMatch(/^<b>Now<\/b>\s+waiting to ada@example\.com/)
    expect(unknown).toMatch(/perhaps sent to[^]*interrupted[^]*ask the agent to write it again/)
    expect(failed).toMatch(/failed to[^]*The mailbox is full$/)
    await fits()
  },
)

test('the page of a new app at Slack has the manifest of the document', async () => {
  const { page, press } = await openChannels()
  await press('New channel')
  await page.getByRole('radio', { name: 'Slack', exact: true }).check({ force: true })
  const link = page.getByRole('link', { name: /Slack’s page/ })
  const href = new URL((await link.getAttribute('href')) ?? '')
  expect(href.origin + href.pathname).toBe('https://api.slack.com/apps')
  const document = await readFile(join(import.meta.dirname, '../../docs/use/channels.md'), 'utf8')
  const [, json = ''] = /^ *```json\n([^]*?)^ *```/m.exec(document) ?? []
  const manifest: unknown = JSON.parse(json.replaceAll('Rhythm', 'Agent'))
  expect(JSON.parse(href.searchParams.get('manifest_json') ?? '')).toEqual(manifest)
})
