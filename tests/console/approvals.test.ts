import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { requireAgent } from '#shared/agents/record/find.ts'
import { park } from '#shared/permits/approvals/park.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const summary = 'POST https://api.example.com/contacts, with the credential crm'

/** Creates an owner with an agent that asks for requests with a credential that does not exist. */
async function owner(context: BrowserContext) {
  const { id: userId } = await subscribed(context)
  const agentId = await agentOf(context, 'Rhythm')
  const table = sharedTable()
  let parked = 0
  return async (text = summary): Promise<string> => {
    const agent = await requireAgent({ table }, { agentId, owner: userId })
    const { approvalId } = await park(
      { table },
      {
        agent,
        effect: {
          action: 'broker.request',
          target: { name: 'crm', method: 'POST', host: 'api.example.com', path: '/contacts' },
        },
        session: 'default',
        summary: text,
        request: {
          json: {
            name: 'crm',
            method: 'POST',
            host: 'api.example.com',
            path: `/contacts?number=${parked++}`,
            headers: {},
          },
          body: Buffer.from('{"name":"Ada \u202egnirts\u{E0041}\u200B👩‍🚀"}'),
        },
      },
    )
    return approvalId
  }
}

/** Parks an answer on a channel. @returns the id of its approval */
async function parkedAnswer(context: BrowserContext, text: string): Promise<string> {
  const { id: userId } = await subscribed(context)
  const agentId = await agentOf(context, 'Rhythm')
  const table = sharedTable()
  const agent = await requireAgent({ table }, { agentId, owner: userId })
  const to = 'ada@example.com'
  const { approvalId } = await park(
    { table },
    {
      agent,
      effect: { action: 'channel.send', target: { channel: 'email', to }, answer: true },
      session: 'email:1',
      summary: `Answer ${to} on email: ${text}`,
      request: {
        json: { channelId: 'chn_1', chat: '1', replyTo: {}, person: to },
        body: Buffer.from(text),
      },
    },
  )
  return approvalId
}

test('an approval of a message shows its channel, its chat and its whole text', async () => {
  const { page, context } = await visit({ colours: 'dark', width: 360 })
  const text = `Dear Ada,\n${'The tide is low. '.repeat(300)}\n<b>Bye</b>`
  await page.goto(`/approvals/${await parkedAnswer(context, text)}`)
  await page.getByRole('heading', { level: 1, name: 'Message on a channel' }).waitFor()
  const effect = page.getByRole('region', { name: 'What will happen' })
  expect(await effect.innerText()).toMatch(/channel\s+email\s+to\s+ada@example\.com/i)
  const body = page.getByRole('region', { name: 'Body' })
  expect(await body.innerText()).toBe(text)
  expect(await findings(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
})

const badge = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Approvals' })

describe.each([
  { colours: 'light', width: 1280 },
  { colours: 'dark', width: 360 },
] as const)('an approval ($colours, $width wide)', (look) => {
  test('shows what will happen and the request, and is denied by the keyboard', async () => {
    const { page, context } = await visit(look)
    const ask = await owner(context)
    const id = await ask()
    await page.goto('/approvals')
    await expect.poll(() => badge(page).innerText(), wait).toMatch(/\b1\s+pending/)
    expect(await findings(page)).toEqual([])
    const second = await ask('POST https://api.example.com/\u202eexe')
    const list = page.getByRole('list', { name: 'Approvals' })
    // The page shows a new one without a reload.
    await list.getByRole('link', { name: '/\\u202eexe' }).waitFor()
    await page.goto(`/approvals/${id}`)
    await page.getByRole('heading', { level: 1, name: 'Request with a credential' }).waitFor()
    // The name arrives after the approval.
    await page.getByRole('link', { name: 'Rhythm' }).waitFor()
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).toMatch(
      /POST https:\/\/api[\s\S]*Rhythm[\s\S]*Expires/,
    )
    expect(await page.getByRole('region', { name: 'Request', exact: true }).innerText()).toContain(
      '"host": "api.example.com"',
    )
    expect(await page.getByRole('region', { name: 'Body' }).innerText()).toBe(
      '{"name":"Ada \\u202egnirts\\u{e0041}\\u200b👩‍🚀"}',
    )
    expect(await findings(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Note to the agent' }).fill('Not this one.')
    await page.getByRole('button', { name: 'Deny' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Denied. Nothing was sent').waitFor()
    await page.getByText('Your note: Not this one.').waitFor()
    expect(await findings(page)).toEqual([])
    await expect.poll(() => badge(page).innerText(), wait).toMatch(/\b1\s+pending/)

    await page.goto('/approvals')
    // Pending ones are first, however old they are.
    await list.getByRole('listitem').nth(1).waitFor()
    await page.getByRole('combobox', { name: 'State' }).selectOption('denied')
    await page.waitForURL('**/approvals?state=denied')
    await expect.poll(() => list.getByRole('link').count(), wait).toBe(1)
    await page.getByRole('combobox', { name: 'State' }).selectOption('waiting for you')
    await expect
      .poll(() => list.getByRole('link').getAttribute('href'), wait)
      .toBe(`/approvals/${second}`)
    await page.getByRole('combobox', { name: 'State' }).selectOption('expired')
    await page.getByText('No matching approvals').waitFor()
  })
})

test('an approval is carried out, and a failure is reported with its reason', async () => {
  const { page, context } = await visit({ width: 360 })
  const id = await (await owner(context))()
  await page.goto(`/approvals/${id}`)
  const approve = page.getByRole('button', { name: 'Approve' })
  const { height = 0, width = 0 } = (await approve.boundingBox()) ?? {}
  // Large enough for a thumb.
  expect({ high: height >= 44, wide: width >= 120 }).toEqual({ high: true, wide: true })
  await approve.click()
  const status = page.getByRole('status')
  await status.getByText('Approved, but it failed: ').waitFor()
  await page.getByText('approved, but failed').waitFor()
  await expect.poll(() => badge(page).innerText(), wait).not.toContain('pending')
})

test('a decision is remembered, and one that came second shows the first', async () => {
  const { page, context } = await visit()
  const ask = await owner(context)
  const [id, other] = [await ask(), await ask()]
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.postDataJSON())
  })
  await page.goto(`/approvals/${id}`)
  await page.getByRole('radio', { name: 'For an hour' }).focus()
  await page.keyboard.press('Space')
  expect(await page.getByRole('button', { name: 'Deny' }).isDisabled()).toBe(true)
  await page.keyboard.press('ArrowRight')
  await page.getByText('Becomes a rule').waitFor()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('status').getByText('Denied.').waitFor()
  expect(sent).toEqual([{ decision: 'deny', remember: 'always' }])

  await page.goto(`/approvals/${other}`)
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await context.request.post(`/api/approvals/${other}`, { data: { decision: 'deny' } })
  await page.getByRole('button', { name: 'Approve' }).evaluate((button) => button.click())
  await page.getByRole('status').getByText('Denied.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test.each([
  [{ state: 'expired' }, 'Expired after 24 hours without a decision'],
  [
    { state: 'failed', result: { error: 'may have been done' } },
    'Approved, but it failed: may have been done.',
  ],
  [
    { state: 'done', result: { status: 201, body: '{"id":7}' } },
    'Approved and carried out. The response has the status 201.',
  ],
])('%j is in words', async (more, words) => {
  const { page, context } = await visit()
  const id = await (await owner(context))()
  await page.route(`**/api/approvals/${id}`, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...((await answer.json()) as object), ...more } })
  })
  await page.goto(`/approvals/${id}`)
  await page.getByRole('status').getByText(words).waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
})

test('an unknown approval is not found, and a failed load has a button to retry', async () => {
  const { page, context } = await visit()
  const id = await (await owner(context))()
  await page.goto('/approvals/apr_none')
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  await page.route(`**/api/approvals/${id}`, (route) =>
    route.fulfill({ status: 500, headers: { 'x-should-retry': 'false' }, json: {} }),
  )
  await page.goto(`/approvals/${id}`)
  await page.getByRole('alert').getByText('could not answer').waitFor()
  await page.unroute(`**/api/approvals/${id}`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})
