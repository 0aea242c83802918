import { afterAll, expect, inject, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { signedUp } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

test('a collector is set, tested, replaced and disabled, and its headers are never shown', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  const { receiver } = inject('stack')
  const kept = async () => (await context.request.get('/api/settings/telemetry')).json()
  await page.goto('/keys')
  const section = page.getByRole('region', { name: 'Telemetry' })
  const address = section.getByRole('textbox', { name: 'Collector' })
  const headers = section.getByRole('textbox', { name: 'Headers' })

  await address.fill('ftp://collector.example.com')
  await address.press('Enter')
  await section.getByRole('alert').waitFor()
  await address.fill(receiver)
  await headers.fill('no colon here')
  await section.getByRole('button', { name: 'Send spans' }).click()
  expect(await section.getByRole('alert').innerText()).toContain('name: value')
  expect(await kept()).toEqual({ otlpUrl: null, headers: [], content: false })

  await headers.fill('x-team: hunter2-of-the-collector\nx-other: 1')
  await section.getByRole('checkbox', { name: 'Send prompts and answers too' }).check()
  await section.getByRole('button', { name: 'Send spans' }).click()
  await section.getByText('Saved').waitFor()
  const set = { otlpUrl: receiver, headers: ['x-team', 'x-other'], content: true }
  expect(await kept()).toEqual(set)
  await section.getByRole('button', { name: 'Send test span' }).focus()
  await page.keyboard.press('Enter')
  await section.getByText('The collector accepted the span').waitFor()
  expect(await (await fetch(receiver)).text()).toContain('resourceSpans')
  await page.reload()
  await section.getByText('x-team, x-other').waitFor()
  expect(await page.content()).not.toContain('hunter2')
  expect(await findings(page)).toEqual([])

  // No server listens at this address.
  await address.fill('http://127.0.0.1:9/')
  await section.getByRole('checkbox').uncheck()
  await section.getByRole('button', { name: 'Replace the collector' }).click()
  await expect
    .poll(kept, wait)
    .toEqual({ otlpUrl: 'http://127.0.0.1:9/', headers: [], content: false })
  await section.getByRole('button', { name: 'Send test span' }).click()
  expect(await section.getByRole('alert').innerText()).toContain('did not answer')

  await section.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await section.getByText('Telemetry is disabled').waitFor()
  expect(await kept()).toEqual({ otlpUrl: null, headers: [], content: false })
  expect(await section.getByRole('button', { name: 'Disable' }).count()).toBe(0)
})
