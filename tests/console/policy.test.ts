import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser } from './support/browser.ts'
import { button, choose, field, hasFocus, policyTab, save, words } from './support/policy.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

describe.each([
  { colours: 'light', width: 1280 },
  { colours: 'dark', width: 360 },
] as const)('a policy ($colours, $width wide)', (look) => {
  test('is set by the keyboard: a preset, and rules that are added, moved, changed and deleted', async () => {
    const { page, stored } = await policyTab(undefined, look)
    await expect
      .poll(() => words(page), wait)
      .toEqual(['Allow everything; payments stay within the mandate.'])
    expect(await findings(page)).toEqual([])

    await page.getByRole('radio', { name: 'open' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => words(page), wait).toEqual([expect.stringMatching(/^Ask before/)])

    await button(page, 'Add rule').focus()
    await page.keyboard.press('Enter')
    await choose(page, 'Decision', 'Allow')
    await field(page, 'Host').fill('API.example.com\n*.example.org ')
    await field(page, 'Method').fill('post')
    await field(page, 'Times a day').fill('20')
    await field(page, 'From').fill('09:00')
    await field(page, 'Until').fill('18:00')
    await field(page, 'Time zone').fill('Europe/Berlin')
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Rule 1 is added.').waitFor()
    expect(await hasFocus(button(page, 'Add rule'))).toBe(true)
    expect((await words(page))[0]).toMatch(/^1\. Allow requests .*\b20\b.* 09:00 to 18:00/)

    await page.keyboard.press('Enter')
    await choose(page, 'Action', 'Payment')
    await choose(page, 'Decision', 'Deny')
    await field(page, 'Host').fill('shop.example.com')
    await button(page, 'Add rule').click()
    await page.getByRole('status').getByText('Rule 2 is added.').waitFor()

    await button(page, 'Move rule 2 up').focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await words(page))[0], wait).toContain('1. Deny payments')
    expect(await hasFocus(button(page, 'Move rule 1 up'))).toBe(true)
    await page.keyboard.press('Enter')
    expect((await words(page))[0]).toContain('1. Deny payments')

    await button(page, 'Edit rule 1').click()
    expect(await field(page, 'Host').inputValue()).toBe('shop.example.com')
    await choose(page, 'Decision', 'Ask me first')
    await field(page, 'At most, in US dollars each').fill('0.50')
    await button(page, 'Change rule').click()
    await expect.poll(async () => (await words(page))[0], wait).toContain('up to $0.50 each')
    expect(await hasFocus(button(page, 'Edit rule 1'))).toBe(true)
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    expect(await stored()).toEqual({ preset: 'open', rules: [] })
    await save(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Saved.').waitFor()
    expect(await stored()).toEqual({
      preset: 'guarded',
      rules: [
        {
          action: 'payment.send',
          match: { host: 'shop.example.com' },
          when: { maxUsd: '0.50' },
          then: 'ask',
        },
        {
          action: 'broker.request',
          match: { method: 'POST', host: ['api.example.com', '*.example.org'] },
          when: { perDay: 20, hours: { from: '09:00', to: '18:00', timezone: 'Europe/Berlin' } },
          then: 'allow',
        },
      ],
    })

    await button(page, 'Delete rule 1').focus()
    await page.keyboard.press('Enter')
    expect(await hasFocus(button(page, 'Delete rule 1'))).toBe(true)
    await page.keyboard.press('Enter')
    expect(await hasFocus(button(page, 'Add rule'))).toBe(true)
    await save(page).click()
    await expect.poll(stored, wait).toEqual({ preset: 'guarded', rules: [] })
  })
})

test.each([
  ['Request with a credential', 'Host', 'https://a.b', 'Must be a host, such as *.example.com.'],
  ['Request with a credential', 'Host', `a.b\n${'a'.repeat(257)}`, 'at most 256 characters.'],
  ['Request with a credential', 'Method', 'SEND', 'Must match one of GET, HEAD'],
  ['Request with a credential', 'Path', 'a', 'Must begin with "/" or "*".'],
  ['Request with a credential', 'Times a day', 'many', 'Must be a whole number.'],
  ['Request with a credential', 'From', '9:00', 'Must be a time like 09:30.'],
  ['Payment', 'At most, in US dollars each', '1e3', 'Must be a decimal number'],
  ['Payment', 'Payee', '0x12', 'Must be 0x and 40 hex digits.'],
])(
  'of a rule for %s, the field %s refuses %j beside the field',
  async (action, name, text, told) => {
    const { page } = await policyTab()
    await button(page, 'Add rule').click()
    await choose(page, 'Action', action)
    await field(page, name).fill(text)
    await button(page, 'Add rule').click()
    const input = field(page, name)
    await expect.poll(() => input.getAttribute('aria-invalid'), wait).toBe('true')
    const hint = page.locator(`[id="${await input.getAttribute('aria-describedby')}"]`)
    expect(await hint.innerText()).toContain(told)
    expect(await hasFocus(input)).toBe(true)
    expect(await input.inputValue()).toBe(text)
    expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
    expect(await findings(page)).toEqual([])
    await input.fill('')
    await button(page, 'Add rule').click()
    await page.getByRole('status').getByText('Rule 1 is added.').waitFor()
  },
)

test('equal hours, and an hour without the other, are refused beside the field', async () => {
  const { page } = await policyTab()
  await button(page, 'Add rule').click()
  await field(page, 'From').fill('09:00')
  await button(page, 'Add rule').click()
  await page.getByText('Must be a time like 09:30.').waitFor()
  await field(page, 'Until').fill('09:00')
  await button(page, 'Add rule').click()
  await page.getByText('From and to must differ.').waitFor()
  await field(page, 'Until').fill('17:00')
  await field(page, 'Time zone').fill('Mars/Base')
  await button(page, 'Add rule').click()
  await page.getByText('Must be a time zone like Europe/Berlin.').waitFor()
  await button(page, 'Cancel').click()
  expect(await words(page)).toHaveLength(1)
})
