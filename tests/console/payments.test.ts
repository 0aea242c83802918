import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser } from './support/browser.ts'
import { button, field, openPayments, putPayment, putUse } from './support/payments.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const payee = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const overflows = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')

const focused = (page: Page) => page.evaluate('document.activeElement.name')

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe.each([
  { colours: 'light', width: 1280 },
  { colours: 'dark', width: 360 },
] as const)('a mandate ($colours, $width wide)', (look) => {
  test('is set, changed and deleted by the keyboard, with errors beside the fields', async () => {
    const { page, context, id } = await openPayments(look)
    const mandate = async () => {
      const answer = await context.request.get(`/api/agents/${id}/mandate`)
      return (await answer.json()) as Record<string, unknown>
    }
    const press = async (name: string) => {
      await button(page, name).focus()
      await page.keyboard.press('Enter')
    }
    const choose = async (name: string) => {
      await page.getByRole('radio', { name }).focus()
      await page.keyboard.press('Space')
    }
    await press('Set mandate')
    await expect.poll(() => focused(page), wait).toBe('perPaymentUsd')
    await page.getByText('needs the scope money').waitFor()
    await page.keyboard.type('1e3')
    await field(page, 'Per day').fill('$1')
    await field(page, 'Per month').fill('2000000000')
    await page.keyboard.press('Enter')
    const alert = page.getByRole('alert')
    await alert.getByText('Largest payment must be a decimal number').waitFor()
    expect(await focused(page)).toBe('perPaymentUsd')
    expect(await findings(page)).toEqual([])
    await field(page, 'Largest payment').fill('0.05')
    await press('Save mandate')
    await alert.getByText('Per month must be at most 1000000000').waitFor()
    expect(await focused(page)).toBe('perMonthUsd')
    await field(page, 'Per month').fill('10')
    await choose('Only these hosts')
    await field(page, 'Hosts').fill('api.example.com\nhttps://example.com/a')
    await choose('Only these payees')
    await field(page, 'Payees').fill(payee.replace('5aA', '5AA'))
    await press('Save mandate')
    await alert.getByText('Hosts, line 2: must be a name').waitFor()
    expect(await focused(page)).toBe('hosts')
    await field(page, 'Hosts').fill('api.example.com, example.com:8443')
    await press('Save mandate')
    await alert.getByText('Payees, line 1: the address has a wrong checksum').waitFor()
    await field(page, 'Payees').fill(payee)
    await field(page, 'Ask me above').fill('0.01')
    await page.getByLabel('Valid until').fill('2020-01-01T10:00')
    await press('Save mandate')
    await alert.getByText('Enter a time in the future.').waitFor()
    await page.getByLabel('Valid until').fill('2099-01-01T10:00')
    expect(await findings(page)).toEqual([])
    expect(await overflows(page)).toBe(false)
    await press('Save mandate')
    await page.getByRole('status').getByText('Mandate saved.').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Mandate')
    expect(await mandate()).toMatchObject({
      perPaymentUsd: '0.05',
      perDayUsd: '1',
      perMonthUsd: '10',
      hosts: ['api.example.com', 'example.com:8443'],
      payees: [payee],
      askAboveUsd: '0.01',
      validUntil: new Date('2099-01-01T10:00').toISOString(),
    })
    const shown = part(page, 'Mandate')
    expect(await shown.innerText()).toMatch(
      /\$0\.05[\s\S]*\$0\.00 of \$1\.00[\s\S]*api\.example\.com, example\.com:8443[\s\S]*above \$0\.01[\s\S]*2099/,
    )
    expect(await findings(page)).toEqual([])
    expect(await overflows(page)).toBe(false)

    await press('Change mandate')
    await choose('Any host')
    await field(page, 'Payees').fill('')
    await field(page, 'Ask me above').fill('')
    await press('Save mandate')
    await expect.poll(() => shown.innerText(), wait).toMatch(/any[\s\S]*none[\s\S]*never/)
    expect(await mandate()).toMatchObject({
      hosts: null,
      payees: [],
      askAboveUsd: null,
      validUntil: new Date('2099-01-01T10:00').toISOString(),
    })

    await press('Delete mandate')
    const dialog = page.getByRole('dialog', { name: 'Delete the mandate?' })
    await dialog.getByRole('button', { name: 'Delete mandate' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Without a mandate').waitFor()
    expect(await mandate()).toEqual({ error: 'Mandate not found' })
  })
})

test('the use of a mandate is shown, and changed elsewhere while its form is open', async () => {
  const { page, context, id } = await openPayments()
  const set = (perDayUsd: string) =>
    context.request.put(`/api/agents/${id}/mandate`, {
      data: {
        perPaymentUsd: '1',
        perDayUsd,
        perMonthUsd: '40',
        validUntil: '2020-01-01T00:00:00Z',
      },
    })
  await putUse(id, 1_015_000)
  await set('5')
  await expect
    .poll(() => part(page, 'Mandate').innerText(), wait)
    .toMatch(/\$1\.015 of \$5\.00 used[\s\S]*\$1\.015 of \$40\.00 used[\s\S]*no longer: it ended/)
  await button(page, 'Change mandate').click()
  await field(page, 'Per day').fill('6')
  await set('4')
  await page.waitForResponse((response) => response.url().endsWith('/mandate'))
  expect(await field(page, 'Per day').inputValue()).toBe('6')
  await button(page, 'Cancel').click()
  await part(page, 'Mandate').getByText('of $4.00 used').waitFor()
})

test('a mandate that cannot be saved keeps its input', async () => {
  const { page, id } = await openPayments()
  await button(page, 'Set mandate').click()
  for (const name of ['Largest payment', 'Per day', 'Per month']) await field(page, name).fill('1')
  await page.route(`**/api/agents/${id}/mandate`, (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  )
  await button(page, 'Save mandate').click()
  await page.getByRole('alert').getByText('The platform cannot be reached').waitFor()
  await page.unroute(`**/api/agents/${id}/mandate`)
  // An end that is only half entered is not the same as none.
  await page.getByLabel('Valid until').focus()
  await page.keyboard.type('12')
  await button(page, 'Save mandate').click()
  await page.getByRole('alert').getByText('Enter a date and a time.').waitFor()
  await page.getByLabel('Valid until').fill('2099-01-01T10:00')
  await button(page, 'Save mandate').click()
  await page.getByRole('status').getByText('Mandate saved.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

describe('the payments of a month', () => {
  const table = (page: Page) => page.getByRole('table', { name: 'Payments of the month' })

  test.each([360, 1280])('are shown newest first, at %i pixels', async (width) => {
    const { page, id } = await openPayments({ width })
    const now = Date.now()
    const hash = `0x${'ab'.repeat(32)}`
    await putPayment(id, { microUsd: 12_500, txHash: hash, approvalId: 'apr_1' }, now - 3)
    await putPayment(id, { state: 'sent', host: 'b.example' }, now - 2)
    await putPayment(id, { state: 'held', host: 'c.example' }, now - 1)
    await putPayment(id, { state: 'returned', host: '=1+1,"x"', payee }, now)
    await page.request.post('/api/wallet/create', { data: { agentId: id } })
    await page.reload()
    const rows = table(page).getByRole('row')
    await expect.poll(() => rows.count(), wait).toBe(5)
    const texts = await rows.allInnerTexts()
    for (const [i, text] of [
      /=1\+1,"x"[\s\S]*0x5aAe…eAed[\s\S]*not taken, returned/,
      /\$0\.01\s+c\.example[\s\S]*held, not sent yet/,
      /b\.example[\s\S]*sent, not settled yet/,
      /\$0\.0125\s+api\.example\.com[\s\S]*paid/,
    ].entries())
      expect(texts[i + 1]).toMatch(text)
    await expect
      .poll(() => page.getByRole('link', { name: 'Transaction' }).getAttribute('href'), wait)
      .toBe(`https://basescan.org/tx/${hash}`)
    expect(
      await page.getByRole('link', { name: 'Approval', exact: true }).getAttribute('href'),
    ).toBe('/approvals/apr_1')
    expect(await findings(page)).toEqual([])
    expect(await overflows(page)).toBe(false)

    const downloading = page.waitForEvent('download')
    await button(page, 'Download CSV').click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe(
      `payments-${id}-${new Date().toISOString().slice(0, 7)}.csv`,
    )
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
    expect(lines[0]).toBe('id,at,host,payee,usd,state,txHash,approvalId')
    expect(lines[1]).toMatch(
      /^apy_\w{26},\d{4}-[^,]+Z,"'=1\+1,""x""",0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed,0\.010000,returned,,$/,
    )
    expect(lines[4]).toMatch(new RegExp(`,0\\.012500,settled,${hash},apr_1$`))
    expect(lines).toHaveLength(6)
  })

  test('are chosen by a month of the agent’s life, page by page', async () => {
    const { page, id } = await openPayments()
    const now = new Date()
    const before = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15)
    const month = new Date(before).toISOString().slice(0, 7)
    await Promise.all(
      Array.from({ length: 103 }, (_, i) => putPayment(id, { host: `h${i}.example` }, before + i)),
    )
    await page.route(`**/api/agents/${id}`, async (route) => {
      const answer = await route.fetch()
      const { agent } = (await answer.json()) as { agent: object }
      await route.fulfill({ json: { agent: { ...agent, createdAt: `${month}-01T00:00:00Z` } } })
    })
    await page.reload()
    await page.getByText('No payments in').waitFor()
    const chooser = page.getByRole('combobox', { name: 'Month' })
    expect(await chooser.getByRole('option').count()).toBe(2)
    await chooser.selectOption(month)
    await page.waitForURL(`**/agents/${id}/payments?month=${month}`)
    const rows = table(page).getByRole('row')
    await expect.poll(() => rows.count(), wait).toBe(101)
    await button(page, 'Show more').click()
    await expect.poll(() => rows.count(), wait).toBe(104)
    expect(await button(page, 'Show more').count()).toBe(0)
    await page.goBack()
    await page.getByText('No payments in').waitFor()
    await page.goForward()

    await page.route('**/payments?*', (route) =>
      route.fulfill({ status: 500, headers: { 'x-should-retry': 'false' }, json: {} }),
    )
    await button(page, 'Download CSV').click()
    await page.getByRole('alert').getByText('could not answer').waitFor()
  })
})
